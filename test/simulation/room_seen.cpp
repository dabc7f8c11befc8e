#include "test/simulation/room_seen.h"

#include <string_view>

#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"
#include "policy/resize/resize.h"

namespace elbowroom::test {

using policy::Pod;

std::string nomination_of(const Pod& pod) {
  return pod.uid + " " + std::to_string(policy::priority_of(pod));
}

RoomSeen room_seen(const SchedulerMirror& mirror, const std::string& node) {
  RoomSeen room{.name = node, .lapsed = mirror.lapsed_on(node)};
  if (const auto at = mirror.nodes.find(node); at != mirror.nodes.end()) room.node = at->second;
  for (const auto& [key, pod] : mirror.pods) {
    if (pod.node.empty() && pod.nominated_node == node) {
      room.nominated.insert(nomination_of(pod));
    }
    if (pod.node != node) continue;
    room.pods[pod.uid] = pod;
    if (mirror.was_asked_to_go(pod.uid)) room.asked_to_go.insert(pod.uid);
  }
  return room;
}

std::string unit_uid(const Pod& pod) {
  const bool is_whole =
      pod.group && pod.group->mode == policy::DisruptionMode::All && !pod.group->is_unclear();
  return is_whole ? pod.group->uid : pod.uid;
}

bool leaves(const RoomSeen& room, const Pod& pod) {
  return pod.deletion ? !room.lapsed.overdue.contains(pod.uid) : room.asked_to_go.contains(pod.uid);
}

bool fits(const RoomSeen& room, const Pod& preemptor,
          const std::function<bool(const Pod&)>& stays) {
  const policy::Totals totals = policy::totals_of(preemptor);
  policy::Resources used = policy::resizing_charge(totals);
  for (const auto& [uid, pod] : room.pods) {
    // A pod that its node could never take holds nothing.
    const bool holds = policy::holds_room(pod) && !policy::never_fits(room.node, pod);
    if (uid != preemptor.uid && holds && stays(pod)) {
      policy::add_to(used, policy::held_charge(pod));
    }
  }
  bool is_enough = true;
  policy::for_each_amount(used, [&](std::string_view name, std::int64_t amount) {
    const bool raised = policy::raises(totals, name);
    if (raised && amount > policy::amount_of(room.node.allocatable, name)) is_enough = false;
  });
  return is_enough;
}

}  // namespace elbowroom::test
