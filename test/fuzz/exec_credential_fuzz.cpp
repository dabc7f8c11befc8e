// The output of a credential program is untrusted bytes: it gives a credential that fits into a
// header, or an error that contains none of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/transport/exec_credential.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view output(reinterpret_cast<const char*>(bytes), size);
  const auto credential =
      elbowroom::api::exec_credential_from(output, "client.authentication.k8s.io/v1");
  if (!credential) {
    if (credential.error().message.size() > 1024) std::abort();
    return 0;
  }
  if (credential->token.empty() && credential->certificate.empty()) std::abort();
  if (credential->certificate.empty() != credential->key.empty()) std::abort();
  for (const char c : credential->token) {
    if (c <= ' ' || c >= 0x7f) std::abort();
  }
  return 0;
}
