// The identity of one process among the replicas of a daemon. It differs from that of every other
// process, and begins with the name of the machine, so that a Lease says where its holder runs.
#pragma once

#include <string>

namespace elbowroom::control {

// HOST_UUID, as client-go makes it.
[[nodiscard]] std::string replica_identity();

}  // namespace elbowroom::control
