// A runtime's lists are untrusted bytes: the answer is a bounded view of usable ids or an error,
// and the same view in any order of the entries.
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "cri/runtime_view.h"
#include "cri/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom::cri;
  google::protobuf::SetLogHandler(nullptr);
  const ClientLimits limits{.list_entries = 100, .text_bytes = 64};
  google::protobuf::io::ArrayInputStream first(bytes, static_cast<int>(size));
  google::protobuf::io::ArrayInputStream second(bytes, static_cast<int>(size));
  auto sandboxes = read_sandboxes(first, limits);
  auto containers = read_containers(second, limits);
  if (!sandboxes || !containers) return 0;
  for (const Sandbox& sandbox : *sandboxes) {
    if (!is_id(sandbox.id) || sandbox.name.size() > 64) std::abort();
  }
  const RuntimeView view = view_of(*sandboxes, *containers);
  if (view.pods.size() > 100) std::abort();
  std::ranges::reverse(*sandboxes);
  std::ranges::reverse(*containers);
  const RuntimeView reversed = view_of(*sandboxes, *containers);
  for (const auto& [uid, pod] : view.pods) {
    const RuntimePod* other = reversed.find(uid);
    if (other == nullptr || other->sandbox_id != pod.sandbox_id) std::abort();
  }
  return 0;
}
