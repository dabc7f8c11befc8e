// The host name of this machine. "localhost" if it is unavailable, never an error: the name is part
// of identities and is not an address.
#pragma once

#include <string>

namespace elbowroom {

[[nodiscard]] std::string host_name();

}  // namespace elbowroom
