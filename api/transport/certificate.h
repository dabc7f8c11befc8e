// Checks a certificate without network access: its validity period, and whether a key belongs to
// it. Trust is decided in the handshake, not here.
#pragma once

#include <string_view>

#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::api {

struct Validity {
  policy::Time from{};
  policy::Time until{};

  friend bool operator==(const Validity&, const Validity&) = default;
};

// Of the first certificate in the PEM. Denied: there is no readable certificate.
[[nodiscard]] Result<Validity> validity_of(std::string_view pem);

// Denied: the key (PEM) does not belong to the first certificate, or one of them is unreadable.
[[nodiscard]] Result<void> check_pair(std::string_view certificate, std::string_view key);

}  // namespace elbowroom::api
