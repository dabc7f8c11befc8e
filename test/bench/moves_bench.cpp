// The cost of a pass of the rescheduler over 5,000 nodes and 50,000 pods of 1,000 Deployments, both
// policies on: every node is nearly full but for a hundred that an autoscaler has just added, a
// tenth of the pods prefers a zone, and a budget in each namespace allows nothing. Also of a pass
// in which nothing can move, as there is no empty node, and of one before which nothing changed.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "policy/model/selector.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/moving/arrivals.h"
#include "rescheduler/moving/move_pass.h"
#include "rescheduler/moving/owner_rests.h"
#include "rescheduler/reactor.h"
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

// What the watches list of such a cluster. `empty` nodes hold no pod.
struct Lists {
  rescheduler::NodesListed nodes{};
  rescheduler::PodsListed pods{};
  rescheduler::PodBudgetsListed budgets{};
  control::Listed<rescheduler::ReplicaSetOwner> owners{};
};

Lists lists_with(std::size_t empty) {
  Lists all;
  for (std::size_t on = 0; on < bench::kNodes + empty; ++on) {
    all.nodes.objects.push_back(bench::node_of(on));
    if (on >= bench::kNodes) continue;
    for (std::size_t number = 0; number < bench::kPodsPerNode; ++number) {
      all.pods.objects.push_back(cluster::PackedPod::packed(pod_of(on, number)));
    }
  }
  for (int i = 0; i < 20; ++i) {
    policy::PodDisruptionBudget budget;
    budget.ns = "team-" + std::to_string(i);
    budget.name = "stuck";
    budget.selector = policy::LabelSelector{.match_labels = {{"app", "web-" + std::to_string(i)}},
                                            .expressions = {}};
    all.budgets.objects.push_back(std::move(budget));
  }
  // Half of them are known by their objects, as ReplicaSets of Deployments are.
  for (std::size_t owner = 0; owner < kOwners; owner += 2) {
    all.owners.objects.push_back({{.kind = "ReplicaSet",
                                   .ns = "team-" + std::to_string(owner % 20),
                                   .name = "web-" + std::to_string(owner),
                                   .uid = "0a1b2c3d-0002-4000-8000-" + bench::twelve_digits(owner),
                                   .controller = "",
                                   .tells = true,
                                   .rolls_out = ""}});
  }
  return all;
}

ClusterState cluster_with(std::size_t empty) {
  ClusterState cluster;
  Lists lists = lists_with(empty);
  (void)cluster.take(lists.nodes);
  (void)cluster.take(lists.pods);
  (void)cluster.take(lists.budgets);
  (void)cluster.take(lists.owners);
  return cluster;
}

const policy::MoveRules kRules{.policies = {.underutilized_node = {.enabled = true},
                                            .affinity_preference = {.enabled = true}}};

void pass(benchmark::State& state, ClusterState& cluster, bool moves) {
  const rescheduler::OwnerRests rests;
  const rescheduler::Arrivals arrivals(cluster);
  rescheduler::MovePass over(cluster, rests, arrivals);
  for (auto _ : state) {
    const policy::MovePlan plan = over.plan(kRules, kNow);
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

// All that a reactor does when its interval is over, and nothing has changed since the last pass.
void idle_pass(benchmark::State& state) {
  static rescheduler::Reactor reactor(
      {.leader_elect = false, .rules = kRules, .has_no_past = true});
  static std::chrono::milliseconds now{0};
  const auto see = [](auto what) {
    return reactor.handle(
        {.at = {.since_start = now, .wall = kNow + now}, .what = std::move(what)});
  };
  if (now == now.zero()) {
    Lists lists = lists_with(0);
    (void)see(std::move(lists.nodes));
    (void)see(std::move(lists.pods));
    (void)see(rescheduler::BudgetsListed{});
    (void)see(std::move(lists.budgets));
    (void)see(rescheduler::NamespacesListed{});
    (void)see(control::Listed<rescheduler::DeploymentOwner>{});
    (void)see(std::move(lists.owners));
    (void)see(control::Listed<rescheduler::StatefulSetOwner>{});
    (void)see(control::Listed<rescheduler::SettingsMap>{});
    (void)see(control::Listed<rescheduler::RestsMap>{});
  }
  const auto before = static_cast<benchmark::IterationCount>(reactor.counts().passes);
  for (auto _ : state) {
    now += kRules.interval;
    if (!see(control::TimePassed{}).empty()) state.SkipWithError("something is done");
  }
  const auto after = static_cast<benchmark::IterationCount>(reactor.counts().passes);
  if (after - before != state.iterations()) state.SkipWithError("no passes");
}

BENCHMARK(idle_pass)->Name("rescheduler/pass_idle/5000x50000")->Unit(benchmark::kMillisecond);
BENCHMARK(pass_with_empty_nodes)
    ->Name("rescheduler/pass/5000x50000")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(pass_over_full_nodes)
    ->Name("rescheduler/pass_full/5000x50000")
    ->Unit(benchmark::kMillisecond);

}  // namespace
