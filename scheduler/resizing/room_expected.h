// Estimates when a Deferred resize has its room. It is for people: it adds up the freed room in
// order of time, and relies on every given time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/model/time.h"

namespace elbowroom::scheduler {

// A pod that holds less from some time on.
struct PendingRoom {
  std::string uid{};
  policy::Time by{};
  policy::Resources keeps{};
};

// Returns the earliest time at which the pod of that uid fits beside what the others hold by then;
// the last of the times if it never does; nothing if no room is freed.
[[nodiscard]] std::optional<policy::Time> room_expected_by(const policy::Node& node,
                                                           std::span<const policy::Pod> pods,
                                                           const policy::Pod& waits,
                                                           std::vector<PendingRoom> coming);

}  // namespace elbowroom::scheduler
