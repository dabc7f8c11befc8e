// The room of a node as one scheduler process saw it at one moment, and sums over it computed
// without the code under test. A deleted pod counts as terminating before any watch shows it.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/preemption/room_on_its_way.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

struct RoomSeen {
  std::string name{};  // of the node
  policy::Node node{};
  std::map<std::string, policy::Pod, std::less<>> pods{};  // by uid
  std::set<std::string, std::less<>> nominated{};          // as text
  std::set<std::string, std::less<>> asked_to_go{};        // uids, lately
  policy::OverduePods lapsed{};
  bool is_avoided = false;  // it turned out a pod like the one that asks
};
// As it is listed among `nominated`.
[[nodiscard]] std::string nomination_of(const policy::Pod& pod);
[[nodiscard]] RoomSeen room_seen(const SchedulerMirror& mirror, const std::string& node);

// What goes together with the pod: its group, where that is removed as one; else the pod.
[[nodiscard]] std::string unit_uid(const policy::Pod& pod);

// Terminating, and not overdue.
[[nodiscard]] bool leaves(const RoomSeen& room, const policy::Pod& pod);

// Does what the pod raises fit beside the held charges of those that `stays` names?
[[nodiscard]] bool fits(const RoomSeen& room, const policy::Pod& preemptor,
                        const std::function<bool(const policy::Pod&)>& stays);

}  // namespace elbowroom::test
