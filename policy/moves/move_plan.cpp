#include "policy/moves/move_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/importance.h"
#include "policy/moves/movable.h"
#include "policy/moves/move_budgets.h"
#include "policy/moves/node_load.h"
#include "policy/placement/node_filter.h"

namespace elbowroom::policy {
namespace {

// As a controller would create it again.
Pod pending(const Pod& pod) {
  Pod made = pod;
  made.node.clear();
  made.nominated_node.clear();
  made.phase = Phase::Pending;
  made.started.reset();
  made.conditions.clear();
  return made;
}

bool is_pending(const Pod& pod) {
  return pod.node.empty() && pod.phase == Phase::Pending && !is_terminating(pod);
}

class Pass {
 public:
  Pass(const ClusterMoment& moment, const MovePolicies& policies, const AvoidedByName& left_alone)
      : moment_(moment),
        policies_(policies),
        room_(room_of(moment)),
        budgets_(moment.budgets, moment.pods, moment.now),
        terms_{.now = moment.now,
               .lapsed = overdue_pods_at(moment.pods, moment.now),
               .avoided = left_alone} {
    for (const Node& each : moment.nodes) nodes_.emplace(each.name, &each);
    for (const Pod& each : moment.pods) {
      if (has_true(each.conditions, kDisruptionTarget)) restless_.insert(each.node);
    }
    for (const Pod& each : moment.pods) {
      const auto node = nodes_.find(each.node);
      const bool may_leave = node != nodes_.end() && takes_part(*node->second) &&
                             !restless_.contains(each.node) && !left_alone.contains(each.node) &&
                             why_not_moved(each).empty();
      if (may_leave) movable_[each.node].push_back(&each);
    }
    for (auto& [node, pods] : movable_) std::ranges::sort(pods, is_before);
    place_pending_pods();
  }

  MovePlan plan() {
    if (policies_.underutilized_node.enabled) empty_crowded_nodes();
    if (policies_.affinity_preference.enabled) follow_preferences();
    std::ranges::sort(plan_.blocked, {}, &BlockedMove::pod);
    return std::move(plan_);
  }

 private:
  // Where a pod could go, and what each node would gain.
  struct Choice {
    std::vector<std::pair<std::string, std::int64_t>> nodes{};  // with its gain, by name
    [[nodiscard]] std::int64_t best() const {
      std::int64_t most = 0;
      for (const auto& [name, gain] : nodes) most = std::max(most, gain);
      return most;
    }
    [[nodiscard]] std::optional<std::int64_t> gain_on(const std::string& node) const {
      for (const auto& [name, gain] : nodes) {
        if (name == node) return gain;
      }
      return std::nullopt;
    }
  };

  // The least important pod first.
  static bool is_before(const Pod* one, const Pod* other) {
    const Importance mine = importance_of(*one, RuleSet::Elbowroom);
    const Importance theirs = importance_of(*other, RuleSet::Elbowroom);
    if (mine != theirs) return mine > theirs;
    return key_of(*one) < key_of(*other);
  }

  [[nodiscard]] NodeLoad load_of(std::uint32_t node) const {
    return NodeLoad(room_.figures()[node]);
  }
  [[nodiscard]] bool takes_part_in_moves(std::uint32_t node) const {
    return takes_part(room_.nodes()[node].node);
  }

  // The room that a pending pod would get is not given to a pod that is moved.
  void place_pending_pods() {
    std::vector<const Pod*> waiting;
    for (const Pod& each : moment_.pods) {
      if (is_pending(each)) waiting.push_back(&each);
    }
    std::ranges::sort(waiting, [](const Pod* one, const Pod* other) {
      return std::tuple(-std::int64_t{priority_of(*one)}, key_of(*one)) <
             std::tuple(-std::int64_t{priority_of(*other)}, key_of(*other));
    });
    for (const Pod* each : waiting) {
      const SchedulingDecision decision = schedule(room_, *each, terms_);
      if (decision.result != SchedulingResult::Bind) continue;
      Pod placed = *each;
      placed.node = decision.node;
      room_.remove(*each);  // where it is nominated
      room_.add(placed);
    }
  }

  // ---- UnderutilizedNode ----

  void empty_crowded_nodes() {
    const UnderutilizedNode& policy = policies_.underutilized_node;
    std::vector<std::uint32_t> empty;
    for (const std::uint32_t node : room_.node_numbers()) {
      const bool is_empty =
          takes_part_in_moves(node) && load_of(node).is_underutilized(policy.threshold);
      if (is_empty) empty.push_back(node);
    }
    std::map<std::string, std::size_t> tried;  // of the node's movable pods
    std::int64_t moves = 0;
    while (!empty.empty() && moves < policy.max_moves) {
      const auto node = most_crowded(tried);
      if (!node) return;
      const std::string& name = room_.nodes()[*node].name;
      const Pod& pod = *movable_.at(name)[tried[name]++];
      const auto could = [&](const Pod& alone, const NodeLoad& source) {
        return less_crowded(alone, *node, source, empty);
      };
      if (consider(pod, *node, MovePolicy::UnderutilizedNode, could)) ++moves;
    }
  }

  // Of those that have a pod left to try.
  std::optional<std::uint32_t> most_crowded(const std::map<std::string, std::size_t>& tried) const {
    std::optional<std::uint32_t> most;
    for (const auto& [name, pods] : movable_) {
      const auto at = tried.find(name);
      if (at != tried.end() && at->second >= pods.size()) continue;
      const std::uint32_t node = *room_.find_node(name);
      if (!load_of(node).is_crowded(policies_.underutilized_node.target)) continue;
      if (!most || load_of(node).is_fuller_than(load_of(*most))) most = node;
    }
    return most;
  }

  // `source`: the node as it is with the pod.
  Choice less_crowded(const Pod& alone, std::uint32_t from, const NodeLoad& source,
                      const std::vector<std::uint32_t>& empty) {
    const UnderutilizedNode& policy = policies_.underutilized_node;
    const NodeFilter filter(room_, alone, terms_);
    const Resources charge = cluster_charge(alone);
    Choice choice;
    for (const std::uint32_t node : empty) {
      if (node == from || filter.refusal(node).code != NodeCode::Success) continue;
      const NodeLoad with = load_of(node).with(charge);
      const std::int64_t gain = source.percent_above(with);
      const bool is_liked = filter.match().preference(node) >= filter.match().preference(from);
      if (with.is_crowded(policy.target) || gain < std::max<std::int64_t>(policy.min_gain, 1)) {
        continue;
      }
      if (is_liked) choice.nodes.emplace_back(room_.nodes()[node].name, gain);
    }
    std::ranges::sort(choice.nodes);
    return choice;
  }

  // ---- AffinityPreference ----

  void follow_preferences() {
    struct Wish {
      std::int64_t gain = 0;
      const Pod* pod = nullptr;
    };
    std::vector<Wish> wishes;
    for (const auto& [name, pods] : movable_) {
      const std::uint32_t node = *room_.find_node(name);
      for (const Pod* each : pods) {
        if (each->placement.preferred_nodes.empty() || is_owner_moved(*each)) continue;
        room_.remove(*each);
        const Choice choice = preferred(pending(*each), node);
        room_.add(*each);
        if (!choice.nodes.empty()) wishes.push_back({choice.best(), each});
      }
    }
    std::ranges::sort(wishes, [](const Wish& one, const Wish& other) {
      return one.gain != other.gain ? one.gain > other.gain : is_before(one.pod, other.pod);
    });
    for (const Wish& each : wishes) {
      const std::uint32_t node = *room_.find_node(each.pod->node);
      const auto could = [&](const Pod& alone, const NodeLoad& /*source*/) {
        return preferred(alone, node);
      };
      (void)consider(*each.pod, node, MovePolicy::AffinityPreference, could);
    }
  }

  Choice preferred(const Pod& alone, std::uint32_t from) {
    const std::int64_t least = std::max<std::int64_t>(policies_.affinity_preference.min_gain, 1);
    std::int64_t all = 0;
    for (const PreferredNodes& each : alone.placement.preferred_nodes) all += each.weight;
    const NodeFilter filter(room_, alone, terms_);
    const std::int64_t here = filter.match().preference(from);
    Choice choice;
    for (const std::uint32_t node : room_.node_numbers()) {
      if (node == from || all <= 0 || !takes_part_in_moves(node)) continue;
      const std::int64_t gain = (filter.match().preference(node) - here) * 100 / all;
      if (gain < least || filter.refusal(node).code != NodeCode::Success) continue;
      choice.nodes.emplace_back(room_.nodes()[node].name, gain);
    }
    std::ranges::sort(choice.nodes);
    return choice;
  }

  // ---- one move ----

  [[nodiscard]] bool is_owner_moved(const Pod& pod) const {
    return moved_.contains(pod.controller->uid);
  }

  // Whether it is moved; if so it counts where it is expected from now on.
  template <class Could>
  bool consider(const Pod& pod, std::uint32_t from, MovePolicy policy, Could could) {
    if (is_owner_moved(pod)) return false;
    const NodeLoad source = load_of(from);
    room_.remove(pod);
    const Pod alone = pending(pod);
    const Choice choice = could(alone, source);
    const std::string expected = choice.nodes.empty() ? "" : expected_node(alone, pod);
    const auto gain = choice.gain_on(expected);
    const std::string blocked = gain ? budgets_.why_blocked(pod) : "";
    if (!gain || !blocked.empty()) {
      room_.add(pod);
      if (!blocked.empty()) block(pod, policy, blocked);
      return false;
    }
    Pod moved = pod;
    moved.node = expected;
    room_.add(moved);
    budgets_.charge(pod);
    moved_.insert(pod.controller->uid);
    const bool is_by_load = policy == MovePolicy::UnderutilizedNode;
    Move made{.pod = key_of(pod),
              .uid = pod.uid,
              .from = pod.node,
              .policy = policy,
              .gain = std::clamp<std::int64_t>(is_by_load ? *gain : choice.best(), 0, 100),
              .could = {},
              .expected = expected,
              .why = why_of(pod, policy)};
    for (const auto& [name, each] : choice.nodes) made.could.push_back(name);
    plan_.moves.push_back(std::move(made));
    return true;
  }

  [[nodiscard]] std::string why_of(const Pod& pod, MovePolicy policy) const {
    if (policy == MovePolicy::AffinityPreference) {
      return "other nodes meet more of its preferred node affinity than node " + pod.node;
    }
    return "more than " + std::to_string(policies_.underutilized_node.target) +
           " percent of node " + pod.node + " is requested, and other nodes are nearly empty";
  }

  void block(const Pod& pod, MovePolicy policy, const std::string& by) {
    const bool is_there =
        std::ranges::find(plan_.blocked, pod.uid, &BlockedMove::uid) != plan_.blocked.end();
    if (!is_there) {
      plan_.blocked.push_back({.pod = key_of(pod), .uid = pod.uid, .policy = policy, .by = by});
    }
  }

  // Where the scheduler would put the pod now, while its controller's pods avoid the node that it
  // leaves; "": nowhere.
  std::string expected_node(const Pod& alone, const Pod& pod) {
    const Node& node = *nodes_.at(pod.node);
    Node avoided = node;
    std::erase_if(avoided.avoided_controllers,
                  [&](const auto& each) { return each.uid == pod.controller->uid; });
    avoided.avoided_controllers.push_back({.uid = pod.controller->uid, .until = std::nullopt});
    room_.put(avoided);
    const SchedulingDecision decision = schedule(room_, alone, terms_);
    room_.put(node);
    return decision.result == SchedulingResult::Bind ? decision.node : "";
  }

  const ClusterMoment& moment_;
  const MovePolicies& policies_;
  ClusterRoom room_;
  MoveBudgets budgets_;
  ScheduleTerms terms_;
  std::map<std::string, const Node*, std::less<>> nodes_{};
  std::set<std::string, std::less<>> restless_{};             // nodes where pods are asked to go
  std::map<std::string, std::vector<const Pod*>> movable_{};  // by node
  std::set<std::string, std::less<>> moved_{};                // uids of owners
  MovePlan plan_{};
};

}  // namespace

std::string_view to_string(MovePolicy policy) {
  return policy == MovePolicy::UnderutilizedNode ? "UnderutilizedNode" : "AffinityPreference";
}

MovePlan plan_moves(const ClusterMoment& moment, const MovePolicies& policies,
                    const AvoidedByName& left_alone) {
  return Pass(moment, policies, left_alone).plan();
}

}  // namespace elbowroom::policy
