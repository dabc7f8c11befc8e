// A TCP socket that listens. It never blocks, so several threads may poll it and the one that is
// quickest gets the connection.
#pragma once

#include "base/fd.h"
#include "base/result.h"
#include "daemon/http/address.h"

namespace elbowroom::daemon {

struct Listener {
  Fd socket{};
  Address address{};  // with the port the kernel gave, where 0 was asked for
  bool is_loopback = false;
};

// Listens on the first address of that name that lets us; names are looked up, which may take as
// long as the resolver wants. Errors name the address and the remedy: Unavailable (in use), Denied,
// Invalid (no such address here).
[[nodiscard]] Result<Listener> listen_on(const Address& address);

}  // namespace elbowroom::daemon
