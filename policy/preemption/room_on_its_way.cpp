#include "policy/preemption/room_on_its_way.h"

#include <algorithm>
#include <chrono>

#include "policy/model/removal_mark.h"

namespace elbowroom::policy {
namespace {

constexpr std::chrono::seconds kLeavesAfterDeadline{30};
constexpr std::chrono::seconds kShrinkMayTake{60};

bool actuation_failed(const Pod& pod) {
  const Condition* progress = find_condition(pod.conditions, kPodResizeInProgress);
  return progress != nullptr && progress->reason == kReasonError;
}

}  // namespace

OverduePods overdue_pods_at(std::span<const Pod> pods, Time now) {
  OverduePods lapsed;
  for (const Pod& pod : pods) {
    if (pod.deletion && now >= *pod.deletion + kLeavesAfterDeadline) lapsed.overdue.insert(pod.uid);
    const Condition* progress = find_condition(pod.conditions, kPodResizeInProgress);
    if (progress == nullptr || !progress->last_transition) continue;
    if (now > *progress->last_transition + kShrinkMayTake) lapsed.stuck_shrinks.insert(pod.uid);
  }
  return lapsed;
}

bool is_leaving(const Pod& pod, const OverduePods& lapsed) {
  return is_terminating(pod) && !lapsed.overdue.contains(pod.uid);
}

Resources charge_after_shrinks(const Pod& pod, const Totals& totals, const OverduePods& lapsed) {
  const Resources held = held_charge(totals);
  const bool shrinks_in_runtime = exceeds_anywhere(totals.actual, totals.allocated);
  if (shrinks_in_runtime && (actuation_failed(pod) || lapsed.stuck_shrinks.contains(pod.uid))) {
    return held;
  }
  const bool shrinks = !is_infeasible(pod) && !exceeds_anywhere(totals.desired, held);
  return shrinks && !lapsed.unevaluated_shrinks.contains(pod.uid) ? totals.desired
                                                                  : totals.allocated;
}

std::optional<PodText> stuck_node(const Node& node, std::span<const Pod> pods,
                                  const OverduePods& lapsed, std::string_view reader) {
  if (node.ready == NodeReady::False || node.ready == NodeReady::Unknown) {
    return "nobody is removed while node " + node.name + " is not ready (its Ready condition is " +
           (node.ready == NodeReady::False ? "False)" : "Unknown)");
  }
  const Pod* named = nullptr;  // the same pod whatever the order of the pods
  for (const Pod& pod : pods) {
    const bool overdue =
        is_terminating(pod) && !is_leaving(pod, lapsed) && holds_room(pod) && removal_mark(pod);
    if (overdue && (named == nullptr || key_of(pod) < key_of(*named))) named = &pod;
  }
  if (named == nullptr) return std::nullopt;
  return PodText("nobody more is removed while pod ") + name_for_reader(reader, *named) +
         ", which had to make room and is overdue, still runs on node " + node.name;
}

}  // namespace elbowroom::policy
