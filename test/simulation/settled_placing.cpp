#include "test/simulation/settled_placing.h"

#include <algorithm>
#include <optional>

#include "api/codec/decode_pod_group.h"
#include "api/watch/pod_reader.h"
#include "policy/model/removal_mark.h"
#include "test/simulation/group_objects.h"
#include "test/simulation/invariants.h"
#include "test/simulation/placing_invariants.h"

namespace elbowroom::test {
namespace {

using policy::Node;
using policy::Pod;
using scheduler::TurnResult;

bool is_ready(const Node& node) {
  return node.ready != policy::NodeReady::False && node.ready != policy::NodeReady::Unknown;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

}  // namespace

SettledWorld settled_world(lab::Simulation& simulation, const std::vector<std::string>& nodes) {
  SettledWorld made;
  for (const std::string& name : nodes) {
    if (auto node = node_of(simulation, name)) made.nodes.push_back(*std::move(node));
  }
  for (const lab::Json* each : simulation.world().all_stored_objects(pod_groups())) {
    if (auto group = api::decode_pod_group(lab::to_value(*each))) {
      const std::string key = policy::key_of(*group);
      made.groups[key] = *std::move(group);
    }
  }
  api::PodReader reader(api::Terms::Read);
  for (const lab::Json* each :
       simulation.world().all_stored_objects(*lab::find_kind("", "v1", "pods"))) {
    auto pod = reader.decode(lab::to_value(*each));
    if (!pod) continue;
    const auto group = made.groups.find(policy::group_key_of(*pod));
    if (group != made.groups.end()) pod->group = group->second.standing;
    made.pods.push_back(*std::move(pod));
  }
  return made;
}

PlainMoment settled_moment(const SettledLeader& leader, const SettledWorld& world,
                           const Pod& asking, bool upstream) {
  PlainMoment moment{.avoided = leader.assumed.turned_out().avoided_by(asking, leader.mirror.now)};
  moment.cluster.nodes = world.nodes;
  for (const Pod& pod : world.pods) {
    if (pod.uid == asking.uid) continue;
    if (pod.node.empty()) {
      if (pod.nominated_node.empty() || pod.deletion || policy::is_finished(pod)) continue;
      Pod there = pod;
      there.node = pod.nominated_node;
      moment.nominated.push_back(std::move(there));
      continue;
    }
    const bool holds = upstream ? !policy::is_finished(pod) : policy::holds_room(pod);
    if (holds) moment.cluster.pods.push_back(pod);
    const bool is_overdue = leader.mirror.lapsed_on(pod.node).overdue.contains(pod.uid);
    if (pod.deletion && !is_overdue) moment.leaving.insert(pod.uid);
  }
  return moment;
}

Uids removable_below(const SettledLeader& leader, const PlainMoment& moment, std::int32_t priority,
                     RefusedPods refused) {
  std::set<std::string> still;  // nodes that lose no pod
  for (const Node& node : moment.cluster.nodes) {
    if (!is_ready(node)) still.insert(node.name);
  }
  Uids uids;
  for (const Pod& each : moment.cluster.pods) {
    const bool is_overdue = each.deletion && !moment.leaving.contains(each.uid);
    const bool is_twin = !uids.insert(each.uid).second;  // it is not known which is meant
    if ((is_overdue && policy::removal_mark(each)) || is_twin) still.insert(each.node);
  }
  const auto may_go = [&](const Pod& each) {
    return !each.deletion && !each.is_static && !each.is_mirror && !still.contains(each.node) &&
           policy::priority_of(each) < priority && !(each.group && each.group->is_unclear()) &&
           (refused == RefusedPods::MayGo || !leader.mirror.refused.contains(each.uid));
  };
  Uids kept;  // units
  for (const Pod& each : moment.cluster.pods) {
    if (!may_go(each)) kept.insert(unit_uid(each));
  }
  Uids gone = moment.leaving;
  for (const Pod& each : moment.cluster.pods) {
    if (!kept.contains(unit_uid(each))) gone.insert(each.uid);
  }
  return gone;
}

void SettledPlacing::check(const Leader& leader, const std::vector<std::string>& names) {
  const SettledWorld world = settled_world(simulation_, names);
  const auto& waiting = simulation_.scheduler(leader.name)->reactor().waiting();
  for (const Pod& pod : world.pods) {
    if (!is_placed_by_us(pod)) continue;
    const std::string what = "settled: " + pod.name + " is pending, and ";
    const bool is_of_gang =
        pod.group && pod.group->is_gang() && pod.group->obstacle == policy::GroupObstacle::None;
    if (is_of_gang) continue;  // they wait together
    const auto at = waiting.find(policy::key_of(pod));
    const bool is_known = at != waiting.end() && at->second.uid == pod.uid &&
                          at->second.generation == pod.generation && at->second.result;
    if (!is_known) {
      broken_(what + "the scheduler says nothing of it");
      continue;
    }
    const Look look{leader, pod, at->second, settled_moment(leader, world, pod, upstream_)};
    const std::string found =
        policy::group_obstacle(pod).empty() ? untruth(look) : untruth_of_refusal(look);
    if (found.empty()) continue;
    broken_(what + found + "; the scheduler says " +
            std::string(scheduler::row_of(*at->second.result).name) + " (" + at->second.message +
            ")");
  }
}

// Its group does not exist, or is refused.
std::string SettledPlacing::untruth_of_refusal(const Look& look) const {
  if (!look.pod.placement.gates.empty()) return "";
  if (*look.said.result != TurnResult::Unschedulable) return "its group keeps it from being placed";
  if (!look.pod.nominated_node.empty()) return "it is nominated to " + look.pod.nominated_node;
  const policy::Condition* told = policy::find_condition(look.pod.conditions, "PodScheduled");
  const bool is_told = told != nullptr && told->status == "False" &&
                       told->message.find(look.pod.scheduling_group) != std::string::npos;
  return is_told ? "" : "its status does not name its group";
}

std::string SettledPlacing::untruth(const Look& look) const {
  const auto& bindings = look.leader.assumed.bindings();
  const auto binding = bindings.find(look.pod.uid);
  if (binding != bindings.end() && binding->second.under_way) return "";  // this very moment
  const policy::Condition* told = policy::find_condition(look.pod.conditions, "PodScheduled");
  if (told == nullptr || told->status != "False") return "its status does not say why";
  const bool is_gated = !look.pod.placement.gates.empty();
  if (is_gated != (told->reason == "SchedulingGated")) return "its status says " + told->reason;
  if (is_gated) {
    return *look.said.result == TurnResult::Gated ? "" : "it has scheduling gates";
  }
  const auto take = nodes_that_take(look.moment, look.pod);
  if (!take.empty()) return "it fits on " + listed(take);
  const std::string& nominated = look.pod.nominated_node;
  const Look before = as_told(look, *told);
  switch (*look.said.result) {
    case TurnResult::Awaits:
    case TurnResult::Preempts: {
      if (nominated != look.said.node) return "it is nominated to \"" + nominated + "\"";
      const auto empty = nodes_that_empty(look.moment, look.pod);
      const bool is_true = upstream_ || std::ranges::find(empty, nominated) != empty.end();
      return is_true ? "" : nominated + " does not become free";
    }
    case TurnResult::Unschedulable:
      if (!nominated.empty()) return "it is nominated to " + nominated + " all the same";
      if (auto untrue = untruth_in(told->message, look.moment, look.pod); !untrue.empty()) {
        return "its status says: " + told->message + ", and " + untrue;
      }
      return untruth_of_nobody(look);
    case TurnResult::Broken:
    case TurnResult::TooMany: {
      // What went with others counted on other nodes, too.
      if (!look.leader.mirror.groups.empty()) return "";
      const bool may_be = std::ranges::any_of(before.moment.cluster.nodes, [&](const Node& node) {
        Pod there = look.pod;
        there.node = node.name;
        // As many pods as may be removed at once.
        const auto most = std::ranges::count_if(before.moment.cluster.pods, [&](const Pod& each) {
          return each.node == node.name &&
                 policy::priority_of(each) < policy::priority_of(look.pod);
        });
        return look.leader.causes.may_be_broken(there, static_cast<std::size_t>(most)) &&
               would_help(before, node, RefusedPods::MayGo);
      });
      return may_be ? "" : "the circuit breaker has no reason";
    }
    case TurnResult::Refused:
      return look.leader.mirror.refused.empty() ? "nobody was refused" : "";
    default:
      return "it has no answer";
  }
}

// Without the pods that were bound since it was told: what cannot help it is not told again.
SettledPlacing::Look SettledPlacing::as_told(const Look& look, const policy::Condition& told) {
  Look before = look;
  std::erase_if(before.moment.cluster.pods, [&](const Pod& each) {
    const policy::Condition* bound = policy::find_condition(each.conditions, "PodScheduled");
    return bound != nullptr && bound->status == "True" && bound->last_transition &&
           told.last_transition &&
           *bound->last_transition >=
               std::chrono::floor<std::chrono::seconds>(*told.last_transition);
  });
  return before;
}

// A hard budget may keep pods of that node.
bool SettledPlacing::has_a_wall(const PlainMoment& moment, const std::string& node) const {
  const lab::Kind& kind = *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
  for (const lab::Json* budget : simulation_.world().all_stored_objects(kind)) {
    if (!budget->at("spec").value("hard", false)) continue;
    const lab::Json wanted = lab::map_at(*budget, {"spec", "selector", "matchLabels"});
    const auto is_covered = [&](const Pod& pod) {
      return pod.node == node && std::ranges::all_of(wanted.items(), [&](const auto& each) {
               const auto label = pod.labels.find(each.key());
               return label != pod.labels.end() && lab::Json(label->second) == each.value();
             });
    };
    if (std::ranges::any_of(moment.cluster.pods, is_covered)) return true;
  }
  return false;
}

// No room is becoming free, and no pod could be removed for it.
std::string SettledPlacing::untruth_of_nobody(const Look& look) const {
  if (upstream_) return "";
  const auto empty = nodes_that_empty(look.moment, look.pod);
  if (!empty.empty()) return listed(empty) + " becomes free for it";
  if (policy::preemption_policy_of(look.pod) == policy::PreemptionPolicy::Never) return "";
  for (const Node& node : look.moment.cluster.nodes) {
    if (has_a_wall(look.moment, node.name)) continue;
    if (would_help(look, node, RefusedPods::Stay)) return "others could go for it on " + node.name;
  }
  return "";
}

// If all possible victims were removed.
bool SettledPlacing::would_help(const Look& look, const Node& node, RefusedPods refused) const {
  if (!is_ready(node) || look.moment.avoided.contains(node.name)) return false;
  bool is_kept = false;
  Uids uids;
  for (const Pod& each : look.moment.cluster.pods) {
    if (each.node != node.name) continue;
    const bool is_overdue = each.deletion && !look.moment.leaving.contains(each.uid);
    is_kept =
        is_kept || (is_overdue && policy::removal_mark(each)) || !uids.insert(each.uid).second;
  }
  // What goes with them elsewhere makes no room here.
  Uids gone = removable_below(look.leader, look.moment, policy::priority_of(look.pod), refused);
  for (const Pod& each : look.moment.cluster.pods) {
    if (each.node != node.name && !look.moment.leaving.contains(each.uid)) gone.erase(each.uid);
  }
  return !is_kept && fits_beside(look.moment, look.pod, node, gone);
}

}  // namespace elbowroom::test
