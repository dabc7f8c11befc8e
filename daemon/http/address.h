// Where a server listens: ADDR:PORT as people write it. Names are not looked up here, and port 0
// asks the kernel for a free one.
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

// "127.0.0.1:10361", "localhost:0", "[::1]:10361"; Invalid for everything else, says what is wrong.
[[nodiscard]] Result<Address> parse_address(std::string_view text);

// As parse_address reads it.
[[nodiscard]] std::string to_string(const Address& address);

}  // namespace elbowroom::daemon
