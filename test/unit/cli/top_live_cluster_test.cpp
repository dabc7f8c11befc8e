// The live overview after events is that of the whole cluster as it is then, made in one go.
#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <string>

#include "cli/top/live_cluster.h"
#include "test/pods.h"

namespace elbowroom::cli::top {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr policy::Time kNow{std::chrono::seconds(1'790'000'000)};

policy::Pod deferred(policy::Pod pod, std::int64_t cpu_m) {
  pod = test::resized(std::move(pod), cpu_m);
  pod.conditions.push_back(
      {.type = std::string(policy::kPodResizePending), .status = "True", .reason = "Deferred"});
  return pod;
}

policy::PodDisruptionBudget budget(std::int64_t allowed) {
  policy::PodDisruptionBudget of;
  of.ns = "default";
  of.name = "all";
  of.uid = "u-all";
  of.selector = policy::LabelSelector{};
  of.disruptions_allowed = allowed;
  return of;
}

class LiveClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    live.take(scheduler::NodesListed{});
    live.take(scheduler::PodsListed{});
    live.take(scheduler::BudgetsListed{});
    live.take(scheduler::OwnBudgetsListed{});
    live.take(scheduler::PodGroupsListed{});
  }
  void see(const policy::Node& node) {
    nodes[node.name] = node;
    live.take(scheduler::NodeSeen{node});
  }
  void see(const policy::Pod& pod) {
    pods[pod.name] = cluster::as_packed(pod);
    live.take(scheduler::PodSeen{cluster::PackedPod::packed(pod)});
  }
  void see(const policy::PodDisruptionBudget& of) {
    budgets[of.name] = of;
    live.take(scheduler::BudgetSeen{of});
  }
  policy::Overview looked() {
    live.look(kNow, [] { return true; });
    return live.overview(kNow);
  }
  [[nodiscard]] policy::Overview whole() const {
    policy::ClusterScene scene{.now = kNow};
    for (const auto& [name, each] : nodes) scene.nodes.push_back(each);
    for (const auto& [name, each] : pods) scene.pods.push_back(each);
    for (const auto& [name, each] : budgets) scene.budgets.upstream.push_back(each);
    return policy::overview_of_cluster(std::move(scene));
  }

  std::map<std::string, policy::Node> nodes{};
  std::map<std::string, policy::Pod> pods{};
  std::map<std::string, policy::PodDisruptionBudget> budgets{};
  LiveCluster live{};
};

TEST_F(LiveClusterTest, IsTheOverviewOfTheWholeClusterAfterEachEvent) {
  see(test::node(4000));
  see(test::node(2000, test::kGi, "node-10"));
  see(test::node(2000, test::kGi, "node-2"));
  see(test::running_pod("web", 1000));
  see(test::running_pod("batch", 2500, 0, -10));
  EXPECT_EQ(looked(), whole());
  see(deferred(test::running_pod("web", 1000), 3000));
  ASSERT_EQ(looked().waiting.size(), 1U);
  EXPECT_EQ(looked(), whole());
  EXPECT_THAT(looked().waiting[0].victims, ElementsAre("default/batch"));
  see(budget(0));  // it makes another thing of the resize that waits
  EXPECT_EQ(looked(), whole());
  policy::Pod leaving = test::running_pod("batch", 2500, 0, -10);
  leaving.deletion = kNow + std::chrono::seconds(30);
  see(leaving);
  ASSERT_EQ(looked().leaving.size(), 1U);
  EXPECT_EQ(looked(), whole());
}

TEST_F(LiveClusterTest, WhatIsGoneIsNotShown) {
  see(test::node(4000));
  see(test::running_pod("web", 1000));
  see(budget(1));
  ASSERT_EQ(looked().nodes[0].held.cpu.value, 1000);
  live.take(scheduler::PodGone{.key = "default/web", .uid = "uid-web"});
  EXPECT_EQ(looked().nodes[0].held.cpu.value, 0);
  EXPECT_EQ(looked().budgets[0].pods, 0);
  live.take(scheduler::BudgetsListed{});
  EXPECT_THAT(looked().budgets, IsEmpty());
  live.take(scheduler::NodesListed{});
  EXPECT_THAT(looked().nodes, IsEmpty());
}

TEST_F(LiveClusterTest, APodThatMovedCountsOnItsNewNodeAlone) {
  see(test::node(4000));
  see(test::node(4000, test::kGi, "node-2"));
  see(test::running_pod("web", 1000));
  static_cast<void>(looked());
  policy::Pod other = test::running_pod("web", 500);
  other.uid = "u-other";
  other.node = "node-2";
  see(other);
  EXPECT_EQ(looked(), whole());
}

TEST_F(LiveClusterTest, LooksInPortionsAndForgetsNone) {
  for (int i = 0; i < 10; ++i) see(test::node(4000, test::kGi, "node-" + std::to_string(i)));
  EXPECT_FALSE(live.is_complete());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(live.look(kNow, [] { return false; }));
  EXPECT_EQ(live.overview(kNow).nodes.size(), 10U);
  EXPECT_TRUE(live.is_complete());
  EXPECT_FALSE(live.look(kNow, [] { return false; }));
}

TEST_F(LiveClusterTest, AHeartbeatIsNoChange) {
  policy::Node node = test::node(4000);
  see(node);
  static_cast<void>(looked());
  node.resource_version = "2";
  see(node);
  EXPECT_FALSE(live.look(kNow, [] { return true; }));
  node.ready = policy::NodeReady::False;
  see(node);
  EXPECT_TRUE(live.look(kNow, [] { return true; }));
  EXPECT_EQ(looked(), whole());
}

TEST(LiveCluster, WhatMayNotBeReadIsSaidAndTheRestShown) {
  LiveCluster live;
  live.take(scheduler::NodesListed{.objects = {test::node(4000)}});
  live.take(scheduler::PodsListed{});
  live.take(scheduler::OwnBudgetsListed{});
  live.take(scheduler::PodGroupsListed{});
  EXPECT_FALSE(live.is_complete());
  live.take(LiveCluster::Lost{Collection::Budgets, "403 Forbidden"});
  live.look(kNow, [] { return true; });
  EXPECT_TRUE(live.is_complete());
  EXPECT_FALSE(live.sees_nothing());
  EXPECT_THAT(live.notes(), ElementsAre("budgets are not seen: 403 Forbidden"));
  live.take(scheduler::PodSeen{
      cluster::PackedPod::packed(deferred(test::running_pod("web", 1000), 5000))});
  live.take(scheduler::PodSeen{cluster::PackedPod::packed(test::running_pod("low", 3000, 0, -1))});
  live.look(kNow, [] { return true; });
  const policy::Overview seen = live.overview(kNow);
  EXPECT_EQ(seen.nodes[0].held.cpu.value, 4000);
  ASSERT_EQ(seen.waiting.size(), 1U);
  EXPECT_THAT(seen.waiting[0].victims, IsEmpty());  // a budget may spare it
  live.take(LiveCluster::Back{Collection::Budgets});
  EXPECT_THAT(live.notes(), IsEmpty());
}

TEST(LiveCluster, WithoutTheRightToReadNodesPodsTellWhatWaits) {
  for (const bool nodes_first : {true, false}) {
    LiveCluster live;
    const auto lose_nodes = [&] {
      live.take(LiveCluster::Lost{Collection::Nodes, "403 Forbidden"});
    };
    if (nodes_first) lose_nodes();
    live.take(scheduler::PodSeen{
        cluster::PackedPod::packed(deferred(test::running_pod("web", 1000), 3000))});
    if (!nodes_first) lose_nodes();
    live.look(kNow, [] { return true; });
    const policy::Overview seen = live.overview(kNow);
    EXPECT_THAT(seen.nodes, IsEmpty());
    ASSERT_EQ(seen.waiting.size(), 1U);
    EXPECT_EQ(seen.waiting[0].pod, "default/web");
    EXPECT_EQ(seen.waiting[0].outcome, "NotKnown");
    const auto text = live.explain("default/web", kNow);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_THAT(*text, HasSubstr("its resize is Deferred, as the node says"));

    live.take(scheduler::NodesListed{.objects = {test::node(4000)}});
    live.look(kNow, [] { return true; });
    EXPECT_EQ(live.overview(kNow).nodes.size(), 1U);
    EXPECT_NE(live.overview(kNow).waiting[0].outcome, "NotKnown");
  }
}

TEST(LiveCluster, ExplainsAPodAsExplainDoes) {
  LiveCluster live;
  live.take(scheduler::NodesListed{.objects = {test::node(4000)}});
  live.take(scheduler::PodSeen{
      cluster::PackedPod::packed(deferred(test::running_pod("web", 1000), 3000))});
  live.take(scheduler::PodSeen{cluster::PackedPod::packed(test::running_pod("low", 2500, 0, -1))});
  const auto text = live.explain("default/web", kNow);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("pod default/web on node node-1: its resize is Deferred"));
  EXPECT_THAT(*text, HasSubstr("default/low"));
  const auto none = live.explain("default/none", kNow);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
}

}  // namespace
}  // namespace elbowroom::cli::top
