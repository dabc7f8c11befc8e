#include "scheduler/cluster_state.h"

#include <gtest/gtest.h>

#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

// What the room of the cluster says that a budget allows is what the snapshot says.
TEST(ClusterStateBudgets, ADebitEndsInTheRoomWithItsPod) {
  ClusterState state({"elbowroom"}, policy::RuleSet::Elbowroom);
  const Clocks clocks{};
  const auto allowed = [&] { return state.room().budgets().at(0).allowed; };
  state.put(test::node(4000));
  const policy::Pod pod = test::running_pod("a", 1000);
  (void)state.apply(state.put(cluster::PackedPod::packed(pod)), clocks);
  policy::PodDisruptionBudget budget{.ns = pod.ns, .name = "web", .disruptions_allowed = 2};
  budget.selector = policy::LabelSelector{};
  state.put_budget(budget);
  state.refresh_budget(budget.ns, budget.name);
  ASSERT_EQ(allowed(), 2);

  state.debit_budgets(pod, clocks.server);
  state.refresh_budgets(pod.ns, clocks);
  EXPECT_EQ(allowed(), 1);
  (void)state.apply(state.remove_pod(policy::key_of(pod), pod.uid), clocks);
  EXPECT_EQ(allowed(), 2);
}

}  // namespace
}  // namespace elbowroom::scheduler
