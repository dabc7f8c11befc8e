// A group that goes whole leaves other nodes, too, on which the pod that room is made for may
// count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/preemption/node_groups.h"
#include "test/gang_world.h"
#include "test/pods.h"

namespace elbowroom::policy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

TEST(GroupElsewhere, ASpreadCountsThePodsThatGoOnOtherNodes) {
  test::GangWorld world;
  world.node("node1", 1000).labels["zone"] = "a";
  world.node("node2", 1000).labels["zone"] = "b";
  world.runs("stays", "node1", 1000, 50).labels["app"] = "x";
  for (const char* node : {"node1", "node2"}) {
    Pod& goes = world.runs(std::string("of-") + node, node, 10, 900);
    goes.labels["app"] = "x";
    world.group(goes, "batch", 10, DisruptionMode::All);
  }
  Pod web = test::ClusterWorld::pending("web", 100, 900);
  web.labels["app"] = "x";
  web.placement.spread = {{.max_skew = 1,
                           .topology_key = "zone",
                           .selector = LabelSelector{.match_labels = {{"app", "x"}}}}};
  const test::ClusterWorld& cluster = world;
  const SchedulingDecision got = cluster.ask(web);
  EXPECT_EQ(got.result, SchedulingResult::Preempt) << got.message;
  EXPECT_EQ(got.node, "node2") << "zone a has one pod already, and zone b none then";
  EXPECT_EQ(cluster.ask(web, RuleSet::Upstream).node, "node1");
}

TEST(GroupElsewhere, OfANodeThatIsNotReadyNoPodMayBeRemoved) {
  Node node = test::node(1000);
  const std::vector<Pod> pods = {test::running_pod("a", 100), test::running_pod("b", 100)};
  Unremovable found = {{pods[0].uid, "known"}};
  note_stuck(node, pods, {}, found);
  EXPECT_THAT(found, SizeIs(1));
  node.ready = NodeReady::Unknown;
  note_stuck(node, pods, {}, found);
  EXPECT_THAT(found, ElementsAre(Pair(pods[0].uid, "known"),
                                 Pair(pods[1].uid, HasSubstr("node node-1 is not ready"))));
}

}  // namespace
}  // namespace elbowroom::policy
