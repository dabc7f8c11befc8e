// Passes of the rescheduler over random small clusters, checked move by move against the rules in
// plain arithmetic, and carried out one after the other until nothing moves.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/moves/move_plan.h"
#include "test/pods.h"

namespace elbowroom::policy {
namespace {

constexpr int kMostPasses = 25;

std::int64_t drawn(std::int64_t from, std::int64_t to) { return *rc::gen::inRange(from, to); }
bool one_in(int n) { return drawn(0, n) == 0; }

struct Cluster {
  std::vector<Node> nodes{};
  std::vector<Pod> pods{};
  Budgets budgets{};

  [[nodiscard]] const Node& node(const std::string& name) const {
    return *std::ranges::find(nodes, name, &Node::name);
  }
  [[nodiscard]] Pod& pod(const std::string& key) {
    return *std::ranges::find_if(pods, [&](const Pod& each) { return key_of(each) == key; });
  }
  [[nodiscard]] MovePlan plan(const MovePolicies& policies) const {
    return plan_moves({.nodes = nodes, .pods = pods, .budgets = budgets}, {.policies = policies});
  }
};

Cluster any_cluster() {
  Cluster made;
  const std::int64_t nodes = drawn(2, 7);
  for (std::int64_t i = 0; i < nodes; ++i) {
    Node node = test::node(1000 * drawn(1, 5), test::kGi * drawn(1, 5), "n" + std::to_string(i));
    node.unschedulable = one_in(8);
    if (one_in(8)) node.ready = NodeReady::False;
    if (one_in(2)) node.labels["zone"] = one_in(2) ? "a" : "b";
    made.nodes.push_back(std::move(node));
  }
  const std::int64_t pods = drawn(0, 25);
  for (std::int64_t i = 0; i < pods; ++i) {
    Pod pod =
        test::running_pod("p" + std::to_string(i), 100 * drawn(0, 8), test::kMi * 128 * drawn(0, 5),
                          static_cast<std::int32_t>(drawn(0, 3)));
    pod.node = "n" + std::to_string(drawn(0, one_in(2) ? nodes : 1));
    const std::string owner = "o" + std::to_string(drawn(0, 12));
    if (!one_in(8)) pod.controller = Owner{.kind = "ReplicaSet", .name = owner, .uid = owner};
    if (one_in(10)) pod.controller = Owner{.kind = "DaemonSet", .name = owner, .uid = owner};
    pod.labels["app"] = one_in(2) ? "x" : "y";
    if (one_in(2)) {
      pod.placement.preferred_nodes.push_back(
          {.weight = static_cast<std::int32_t>(drawn(1, 101)),
           .term = {.labels = {{.key = "zone",
                                .op = NodeOperator::In,
                                .values = {one_in(2) ? "a" : "b"}}},
                    .names = {}}});
    }
    made.pods.push_back(std::move(pod));
  }
  if (one_in(2)) {
    PodDisruptionBudget budget{.ns = "default", .name = "x", .disruptions_allowed = drawn(0, 3)};
    budget.selector = LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
    made.budgets.upstream.push_back(std::move(budget));
  }
  return made;
}

struct Sums {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
};
using Used = std::map<std::string, Sums>;

Used used_in(const Cluster& cluster) {
  Used used;
  for (const Node& each : cluster.nodes) used[each.name] = {};
  for (const Pod& each : cluster.pods) {
    used[each.node].cpu += each.containers[0].desired.requests.cpu.value;
    used[each.node].memory += each.containers[0].desired.requests.memory.value;
  }
  return used;
}

bool is_above(const Sums& used, const Node& node, std::int64_t percent) {
  return used.cpu * 100 > node.allocatable.cpu.value * percent ||
         used.memory * 100 > node.allocatable.memory.value * percent;
}

bool is_below(const Sums& used, const Node& node, std::int64_t percent) {
  return used.cpu * 100 < node.allocatable.cpu.value * percent &&
         used.memory * 100 < node.allocatable.memory.value * percent;
}

bool is_open(const Node& node) { return !node.unschedulable && node.ready == NodeReady::True; }

std::int64_t weight_on(const Pod& pod, const Node& node) {
  std::int64_t sum = 0;
  for (const PreferredNodes& each : pod.placement.preferred_nodes) {
    const auto zone = node.labels.find("zone");
    const bool holds = zone != node.labels.end() && zone->second == each.term.labels[0].values[0];
    if (holds) sum += each.weight;
  }
  return sum;
}

void check_moves_at_all(Cluster& cluster, const MovePlan& plan) {
  std::set<std::string> owners;
  for (const Move& each : plan.moves) {
    const Pod& pod = cluster.pod(each.pod);
    RC_ASSERT(pod.controller.has_value());
    RC_ASSERT(pod.controller->kind != "DaemonSet");
    RC_ASSERT(owners.insert(pod.controller->uid).second);
    RC_ASSERT(each.from == pod.node);
    RC_ASSERT(is_open(cluster.node(each.from)));
    RC_ASSERT(!each.could.empty());
    RC_ASSERT(std::ranges::find(each.could, each.expected) != each.could.end());
    for (const std::string& node : each.could) {
      RC_ASSERT(node != each.from);
      RC_ASSERT(is_open(cluster.node(node)));
    }
    RC_ASSERT(each.gain >= 1);
    RC_ASSERT(each.gain <= 100);
    for (const BlockedMove& blocked : plan.blocked) RC_ASSERT(blocked.pod != each.pod);
  }
  for (const PodDisruptionBudget& budget : cluster.budgets.upstream) {
    const auto gone = std::ranges::count_if(plan.moves, [&](const Move& each) {
      return cluster.pod(each.pod).labels.at("app") == "x";
    });
    RC_ASSERT(gone <= budget.disruptions_allowed);
  }
}

// Carries the moves out, as the plan expects; the controllers' pods come up again at once.
void carry_out(Cluster& cluster, const MovePlan& plan) {
  for (const Move& each : plan.moves) cluster.pod(each.pod).node = each.expected;
}

TEST(Moves, UnderutilizedNodeKeepsItsRulesAndComesToRest) {
  EXPECT_TRUE(rc::check("each move leaves a crowded node for an empty one", [] {
    Cluster cluster = any_cluster();
    MovePolicies policies{.underutilized_node = {.enabled = true,
                                                 .threshold = drawn(5, 40),
                                                 .target = drawn(40, 90),
                                                 .max_moves = drawn(1, 8)}};
    const UnderutilizedNode& policy = policies.underutilized_node;
    int passes = 0;
    for (; passes < kMostPasses; ++passes) {
      const MovePlan plan = cluster.plan(policies);
      check_moves_at_all(cluster, plan);
      RC_ASSERT(static_cast<std::int64_t>(plan.moves.size()) <= policy.max_moves);
      Used used = used_in(cluster);
      const Used before = used;
      for (const Move& each : plan.moves) {
        const Resources size = cluster.pod(each.pod).containers[0].desired.requests;
        RC_ASSERT(is_above(used[each.from], cluster.node(each.from), policy.target));
        for (const std::string& node : each.could) {
          RC_ASSERT(is_below(before.at(node), cluster.node(node), policy.threshold));
          const Sums with{used[node].cpu + size.cpu.value, used[node].memory + size.memory.value};
          RC_ASSERT(!is_above(with, cluster.node(node), policy.target));
          RC_ASSERT(weight_on(cluster.pod(each.pod), cluster.node(node)) >=
                    weight_on(cluster.pod(each.pod), cluster.node(each.from)));
        }
        used[each.from].cpu -= size.cpu.value;
        used[each.from].memory -= size.memory.value;
        used[each.expected].cpu += size.cpu.value;
        used[each.expected].memory += size.memory.value;
      }
      if (plan.moves.empty()) break;
      carry_out(cluster, plan);
    }
    RC_ASSERT(passes < kMostPasses);
  }));
}

TEST(Moves, AffinityPreferenceKeepsItsRulesAndComesToRest) {
  EXPECT_TRUE(rc::check("each move meets more of the pod's preferences", [] {
    Cluster cluster = any_cluster();
    const MovePolicies policies{
        .affinity_preference = {.enabled = true, .min_gain = drawn(1, 101)}};
    int passes = 0;
    for (; passes < kMostPasses; ++passes) {
      const MovePlan plan = cluster.plan(policies);
      check_moves_at_all(cluster, plan);
      for (const Move& each : plan.moves) {
        const Pod& pod = cluster.pod(each.pod);
        std::int64_t all = 0;
        for (const PreferredNodes& term : pod.placement.preferred_nodes) all += term.weight;
        std::int64_t best = 0;
        for (const std::string& node : each.could) {
          const std::int64_t more =
              weight_on(pod, cluster.node(node)) - weight_on(pod, cluster.node(each.from));
          RC_ASSERT(more * 100 / all >= policies.affinity_preference.min_gain);
          best = std::max(best, more * 100 / all);
        }
        RC_ASSERT(each.gain == best);
      }
      if (plan.moves.empty()) break;
      carry_out(cluster, plan);
    }
    RC_ASSERT(passes < kMostPasses);
  }));
}

TEST(Moves, TheOrderOfTheObjectsChangesNothing) {
  EXPECT_TRUE(rc::check("the same plan", [] {
    Cluster cluster = any_cluster();
    const MovePolicies policies{.underutilized_node = {.enabled = true},
                                .affinity_preference = {.enabled = true, .min_gain = 10}};
    const MovePlan plan = cluster.plan(policies);
    std::ranges::reverse(cluster.nodes);
    std::ranges::reverse(cluster.pods);
    RC_ASSERT(cluster.plan(policies) == plan);
  }));
}

}  // namespace
}  // namespace elbowroom::policy
