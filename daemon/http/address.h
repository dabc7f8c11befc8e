// The address a server listens on, in the form ADDR:PORT. Names are not resolved here; port 0
// requests a free port from the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::daemon {

struct Address {
  std::string host{};  // a name or an IP address, without brackets
  std::uint16_t port = 0;

  friend bool operator==(const Address&, const Address&) = default;
};

// Parses "127.0.0.1:10361", "localhost:0" or "[::1]:10361". Invalid for everything else; the error
// says what is wrong.
[[nodiscard]] Result<Address> parse_address(std::string_view text);

// Returns the form that parse_address reads.
[[nodiscard]] std::string to_string(const Address& address);

}  // namespace elbowroom::daemon
