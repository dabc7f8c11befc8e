// What can be told of a certificate without asking anybody: from when until when it is good, and
// whether a key belongs to it. Whom to trust is not decided here but in the handshake.
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

// Of the first certificate in the PEM. Denied: there is none that can be read.
[[nodiscard]] Result<Validity> validity_of(std::string_view pem);

// Denied: the key (PEM) is not that of the first certificate, or one of them cannot be read.
[[nodiscard]] Result<void> check_pair(std::string_view certificate, std::string_view key);

}  // namespace elbowroom::api
