// What this machine calls itself. "localhost" where it will not say, never an error: the name goes
// into identities and is no address.
#pragma once

#include <string>

namespace elbowroom {

[[nodiscard]] std::string host_name();

}  // namespace elbowroom
