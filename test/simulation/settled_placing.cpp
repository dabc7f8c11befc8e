#include "test/simulation/settled_placing.h"

#include <algorithm>
#include <optional>

#include "api/watch/pod_reader.h"
#include "policy/model/removal_mark.h"
#include "test/simulation/invariants.h"
#include "test/simulation/placing_invariants.h"

namespace elbowroom::test {
namespace {

using policy::Node;
using policy::Pod;
using scheduler::TurnResult;

std::vector<Pod> all_pods(lab::Simulation& simulation) {
  std::vector<Pod> pods;
  api::PodReader reader(api::Terms::Read);
  for (const lab::Json* each :
       simulation.world().all_stored_objects(*lab::find_kind("", "v1", "pods"))) {
    if (auto pod = reader.decode(lab::to_value(*each))) pods.push_back(*std::move(pod));
  }
  return pods;
}

bool is_ready(const Node& node) {
  return node.ready != policy::NodeReady::False && node.ready != policy::NodeReady::Unknown;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

}  // namespace

PlainMoment SettledPlacing::moment(const Leader& leader, const std::vector<Pod>& pods,
                                   const std::vector<Node>& nodes, const Pod& asking) const {
  PlainMoment moment{.avoided = leader.assumed.turned_out().avoided_by(asking, leader.mirror.now)};
  moment.cluster.nodes = nodes;
  for (const Pod& pod : pods) {
    if (pod.uid == asking.uid) continue;
    if (pod.node.empty()) {
      if (pod.nominated_node.empty() || pod.deletion || policy::is_finished(pod)) continue;
      Pod there = pod;
      there.node = pod.nominated_node;
      moment.nominated.push_back(std::move(there));
      continue;
    }
    const bool holds = upstream_ ? !policy::is_finished(pod) : policy::holds_room(pod);
    if (holds) moment.cluster.pods.push_back(pod);
    const bool is_overdue = leader.mirror.lapsed_on(pod.node).overdue.contains(pod.uid);
    if (pod.deletion && !is_overdue) moment.leaving.insert(pod.uid);
  }
  return moment;
}

void SettledPlacing::check(const Leader& leader, const std::vector<std::string>& names) {
  std::vector<Node> nodes;
  for (const std::string& name : names) {
    if (auto node = node_of(simulation_, name)) nodes.push_back(*std::move(node));
  }
  const std::vector<Pod> pods = all_pods(simulation_);
  const auto& waiting = simulation_.scheduler(leader.name)->reactor().waiting();
  for (const Pod& pod : pods) {
    if (!is_placed_by_us(pod)) continue;
    const std::string what = "settled: " + pod.name + " is pending, and ";
    const auto at = waiting.find(policy::key_of(pod));
    const bool is_known = at != waiting.end() && at->second.uid == pod.uid &&
                          at->second.generation == pod.generation && at->second.result;
    if (!is_known) {
      broken_(what + "the scheduler says nothing of it");
      continue;
    }
    const Look look{leader, pod, at->second, moment(leader, pods, nodes, pod)};
    const std::string found = untruth(look);
    if (found.empty()) continue;
    broken_(what + found + "; the scheduler says " +
            std::string(scheduler::row_of(*at->second.result).name) + " (" + at->second.message +
            ")");
  }
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
      const bool may_be = std::ranges::any_of(look.moment.cluster.nodes, [&](const Node& node) {
        Pod there = look.pod;
        there.node = node.name;
        // As many pods as may be removed at once.
        const auto most = std::ranges::count_if(look.moment.cluster.pods, [&](const Pod& each) {
          return each.node == node.name &&
                 policy::priority_of(each) < policy::priority_of(look.pod);
        });
        return look.leader.causes.may_be_broken(there, static_cast<std::size_t>(most)) &&
               would_help(look, node);
      });
      return may_be ? "" : "the circuit breaker has no reason";
    }
    case TurnResult::Refused:
      return look.leader.mirror.refused.empty() ? "nobody was refused" : "";
    default:
      return "it has no answer";
  }
}

// No room is becoming free, and no pod could be removed for it.
std::string SettledPlacing::untruth_of_nobody(const Look& look) const {
  if (upstream_) return "";
  const auto empty = nodes_that_empty(look.moment, look.pod);
  if (!empty.empty()) return listed(empty) + " becomes free for it";
  if (look.pod.preemption_policy == policy::PreemptionPolicy::Never) return "";
  for (const Node& node : look.moment.cluster.nodes) {
    if (would_help(look, node)) return "others could go for it on " + node.name;
  }
  return "";
}

// If all possible victims were removed. A node that keeps an overdue victim, or does not answer,
// loses no pod.
bool SettledPlacing::would_help(const Look& look, const Node& node) const {
  if (!is_ready(node) || look.moment.avoided.contains(node.name)) return false;
  Uids gone = look.moment.leaving;
  Uids uids;
  for (const Pod& each : look.moment.cluster.pods) {
    if (each.node != node.name) continue;
    const bool is_overdue = each.deletion && !look.moment.leaving.contains(each.uid);
    if (is_overdue && policy::removal_mark(each)) return false;
    if (!uids.insert(each.uid).second) return false;  // it is not known which of two is meant
    const bool may_go = !each.deletion && !each.is_static && !each.is_mirror &&
                        policy::priority_of(each) < policy::priority_of(look.pod) &&
                        !look.leader.mirror.refused.contains(each.uid);
    if (may_go) gone.insert(each.uid);
  }
  return fits_beside(look.moment, look.pod, node, gone);
}

}  // namespace elbowroom::test
