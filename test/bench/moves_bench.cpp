// The cost of a pass of the rescheduler over 5,000 nodes and 50,000 pods of 1,000 Deployments, both
// policies on: every node is nearly full but for a hundred that an autoscaler has just added, a
// tenth of the pods prefers a zone, and a budget in each namespace allows nothing. Also of a pass
// in which nothing can move, as there is no empty node.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "policy/model/selector.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/moving/arrivals.h"
#include "rescheduler/moving/move_pass.h"
#include "rescheduler/moving/owner_rests.h"
#include "test/bench/large_cluster.h"

namespace {

using namespace elbowroom;
using rescheduler::ClusterState;

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr std::size_t kOwners = 1'000;
constexpr policy::Time kNow{std::chrono::seconds(1'780'003'600)};

policy::Pod pod_of(std::size_t on, std::size_t number) {
  policy::Pod pod = bench::pod_of(on, number);
  const std::size_t owner = (on * bench::kPodsPerNode + number) % kOwners;
  pod.controller->uid = "0a1b2c3d-0002-4000-8000-" + bench::twelve_digits(owner);
  pod.ns = "team-" + std::to_string(owner % 20);
  pod.labels["app"] = "web-" + std::to_string(owner);
  if (owner % 10 == 0) {
    pod.placement.preferred_nodes = {
        {.weight = 100,
         .term = {.labels = {{.key = kZone,
                              .op = policy::NodeOperator::In,
                              .values = {"zone-" + std::to_string(owner % 3)}}},
                  .names = {}}}};
  }
  return pod;
}

// `empty` nodes hold no pod.
ClusterState cluster_with(std::size_t empty) {
  ClusterState cluster;
  rescheduler::NodesListed nodes;
  rescheduler::PodsListed pods;
  for (std::size_t on = 0; on < bench::kNodes + empty; ++on) {
    nodes.objects.push_back(bench::node_of(on));
    if (on >= bench::kNodes) continue;
    for (std::size_t number = 0; number < bench::kPodsPerNode; ++number) {
      pods.objects.push_back(cluster::PackedPod::packed(pod_of(on, number)));
    }
  }
  (void)cluster.take(nodes);
  (void)cluster.take(pods);
  rescheduler::PodBudgetsListed budgets;
  for (int i = 0; i < 20; ++i) {
    policy::PodDisruptionBudget budget;
    budget.ns = "team-" + std::to_string(i);
    budget.name = "stuck";
    budget.selector = policy::LabelSelector{.match_labels = {{"app", "web-" + std::to_string(i)}},
                                            .expressions = {}};
    budgets.objects.push_back(std::move(budget));
  }
  (void)cluster.take(budgets);
  // Half of them are known by their objects, as ReplicaSets of Deployments are.
  control::Listed<rescheduler::ReplicaSetOwner> owners;
  for (std::size_t owner = 0; owner < kOwners; owner += 2) {
    owners.objects.push_back({{.kind = "ReplicaSet",
                               .ns = "team-" + std::to_string(owner % 20),
                               .name = "web-" + std::to_string(owner),
                               .uid = "0a1b2c3d-0002-4000-8000-" + bench::twelve_digits(owner),
                               .controller = "",
                               .tells = true,
                               .rolls_out = ""}});
  }
  (void)cluster.take(owners);
  return cluster;
}

void pass(benchmark::State& state, ClusterState& cluster, bool moves) {
  const rescheduler::OwnerRests rests;
  const rescheduler::Arrivals arrivals(cluster);
  rescheduler::MovePass over(cluster, rests, arrivals);
  const policy::MoveRules rules{.policies = {.underutilized_node = {.enabled = true},
                                             .affinity_preference = {.enabled = true}}};
  for (auto _ : state) {
    const policy::MovePlan plan = over.plan(rules, kNow);
    if (plan.moves.empty() == moves) state.SkipWithError("another plan");
  }
}

void pass_with_empty_nodes(benchmark::State& state) {
  static ClusterState cluster = cluster_with(100);
  pass(state, cluster, true);
}
void pass_over_full_nodes(benchmark::State& state) {
  static ClusterState cluster = cluster_with(0);
  pass(state, cluster, false);
}

BENCHMARK(pass_with_empty_nodes)
    ->Name("rescheduler/pass/5000x50000")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(pass_over_full_nodes)
    ->Name("rescheduler/pass_full/5000x50000")
    ->Unit(benchmark::kMillisecond);

}  // namespace
