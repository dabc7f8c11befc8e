// A TCP socket that listens. It never blocks, so several threads may poll it and the fastest one
// gets the connection.
#pragma once

#include "base/fd.h"
#include "base/result.h"
#include "daemon/http/address.h"

namespace elbowroom::daemon {

struct Listener {
  Fd socket{};
  Address address{};  // with the port that the kernel chose, if 0 was requested
  bool is_loopback = false;
};

// Listens on the first usable address of that name. Names are resolved, which may take as long as
// the resolver needs. Errors name the address and the remedy: Unavailable (in use), Denied, Invalid
// (no such address here).
[[nodiscard]] Result<Listener> listen_on(const Address& address);

}  // namespace elbowroom::daemon
