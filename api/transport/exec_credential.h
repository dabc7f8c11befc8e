// The input and output of a credential program: ExecCredential objects of
// client.authentication.k8s.io. Nothing of an output gets into a message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/transport/access.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::api {

struct ExecCredential {
  std::string token{};
  std::string certificate{};              // PEM, including its key
  std::string key{};                      // PEM
  std::optional<policy::Time> expires{};  // wall time; none: valid until refused

  friend bool operator==(const ExecCredential&, const ExecCredential&) = default;
};

// The value of KUBERNETES_EXEC_INFO. `authority`: PEM, "" for none. Requires access.exec.
[[nodiscard]] std::string exec_info(const Access& access, std::string_view authority);

// Denied: not an ExecCredential of that version, neither token nor certificate, half a pair.
[[nodiscard]] Result<ExecCredential> exec_credential_from(std::string_view output,
                                                          std::string_view api_version);

}  // namespace elbowroom::api
