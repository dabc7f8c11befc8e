// A kubeconfig from any source. Property: an Access or an error that names the file, never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/codec/base64.h"
#include "api/transport/kubeconfig.h"
#include "api/transport/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  // A folder that does not exist: credentials in files cannot be read.
  const auto access = api::access_from({{"/nowhere/elbowroom-fuzz/kubeconfig", text}});
  if (!access && access.error().message.empty()) std::abort();
  if (access && access->server.port == 0) std::abort();
  if (const auto url = api::parse_server_url(text)) {
    const auto again = api::parse_server_url(api::to_string(*url));
    if (!again || *again != *url) std::abort();
  }
  (void)api::decode_base64(text);
  return 0;
}
