#include "scheduler/removal/confirmation.h"

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "scheduler/waiting/waiting_pod.h"

namespace elbowroom::scheduler {

std::string change_since(const Preemptor& preemptor, const std::optional<policy::Pod>& seen,
                         const policy::Pod& now) {
  if (now.uid != preemptor.uid) return "another pod has its name by now";
  if (now.generation != preemptor.generation) {
    return std::string(preemptor.is_pending ? "it is another one" : "it asks for another size") +
           " by now: generation " + std::to_string(now.generation) + ", not " +
           std::to_string(preemptor.generation);
  }
  if (preemptor.is_pending) {
    if (!now.node.empty()) return "it is on node " + now.node + " by now";
    return waits_for_node(now) ? "" : "it does not wait for a node any more";
  }
  if (!waits_for_room(now)) return "its resize does not wait any more";
  if (now.node != preemptor.node) return "it is on node " + now.node + " by now";
  if (policy::has_true(now.conditions, policy::kPodResizePreemptionDisabled)) {
    return "nobody may be removed for it by now";
  }
  if (seen && policy::totals_of(*seen) != policy::totals_of(now)) {
    return "it asks for other room by now";
  }
  return "";
}

std::string change_of_group(const Preemptor& preemptor, const policy::PodGroup& now) {
  if (now.standing.uid != preemptor.uid) return "another pod group has its name by now";
  if (now.deletion) return "it is being deleted";
  if (now.standing.obstacle != policy::GroupObstacle::None) {
    return std::string(policy::to_string(now.standing.obstacle));
  }
  return now.standing.preemption_policy == policy::PreemptionPolicy::Never
             ? "its preemptionPolicy is Never by now"
             : "";
}

std::string change_of_member(const Victim& member, const std::optional<policy::Pod>& seen,
                             const policy::Pod& now) {
  const std::string name = "its pod " + control::name_of(member);
  if (now.uid != member.uid) return "another pod has the name of " + name + " by now";
  if (!now.node.empty()) return name + " is on node " + now.node + " by now";
  if (!waits_for_node(now)) return name + " does not wait for a node any more";
  if (seen && seen->generation != now.generation) return name + " is another one by now";
  return "";
}

}  // namespace elbowroom::scheduler
