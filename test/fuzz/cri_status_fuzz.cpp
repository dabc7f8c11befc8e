// A runtime's status of one container or sandbox is untrusted bytes: the answer is a bounded,
// printable value.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "base/utf8.h"
#include "cri/convert.h"
#include "cri/wire.h"

namespace {

constexpr std::size_t kTextBytes = 64;

void require_printable(std::string_view text) {
  const bool holds = text.size() <= kTextBytes &&
                     elbowroom::first_invalid_utf8(text) == text.size() &&
                     elbowroom::sanitize_line(text) == text;
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom::cri;
  google::protobuf::SetLogHandler(nullptr);
  wire::ContainerStatusResponse container;
  if (container.ParseFromArray(bytes, static_cast<int>(size))) {
    const RuntimeContainer of = container_from(container.status(), kTextBytes);
    require_printable(of.name);
    static_cast<void>(actual_of(of.resources, of.resources));
  }
  wire::PodSandboxStatusResponse sandbox;
  if (sandbox.ParseFromArray(bytes, static_cast<int>(size))) {
    const Sandbox of = sandbox_from(sandbox.status(), kTextBytes);
    require_printable(of.name);
    require_printable(of.ns);
  }
  return 0;
}
