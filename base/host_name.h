// What this machine calls itself. The one thing to know: "localhost" where it will not say, never
// an error: the name goes into identities and is no address.
#pragma once

#include <string>

namespace elbowroom {

[[nodiscard]] std::string host_name();

}  // namespace elbowroom
