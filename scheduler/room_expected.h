// By when a Deferred resize has its room, as far as it can be told. It is for people; it adds up
// what comes free in the order of time, and believes every time that is given.
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

// The earliest time at which the pod of that uid fits beside what the others hold by then; the last
// of the times where it never does; nothing where nothing comes.
[[nodiscard]] std::optional<policy::Time> room_expected_by(const policy::Node& node,
                                                           std::span<const policy::Pod> pods,
                                                           const policy::Pod& waits,
                                                           std::vector<PendingRoom> coming);

}  // namespace elbowroom::scheduler
