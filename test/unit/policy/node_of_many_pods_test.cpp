// Room is made on a node that has 150,000 pods: it costs as much more as there are more pods, and
// nobody has to read as many reasons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "test/cluster_world.h"
#include "test/growth.h"

namespace elbowroom::policy {
namespace {

using test::growth_from;
using test::kNotQuadratic;
using testing::HasSubstr;
using testing::Lt;

constexpr std::size_t kMany = 15'000;  // and ten times as many

// Pods of one millicore that fill the node, and one that waits for `lacking` more.
test::NodeWorld full_node(std::size_t pods, std::int64_t lacking) {
  auto world = test::world_of(static_cast<std::int64_t>(pods) + 100);
  world.pods.reserve(pods + 1);
  for (std::size_t i = 0; i < pods; ++i) {
    world.pods.push_back(test::pod_of_size("batch-" + std::to_string(i), 0, test::figures(1)));
  }
  world.pods.push_back(test::deferred_to(test::pod_of_size("web", 100, test::figures(100)),
                                         test::figures(100 + lacking)));
  return world;
}

// Groups of that many pods each, which are removed as one.
void put_in_groups(test::NodeWorld& world, std::size_t members) {
  for (std::size_t i = 0; i + 1 < world.pods.size(); ++i) {
    Pod& pod = world.pods[i];
    pod.scheduling_group = "group-" + std::to_string(i / members);
    pod.group = GroupStanding{.uid = "uid-" + pod.scheduling_group, .mode = DisruptionMode::All};
  }
}

double growth_of_plan(std::int64_t share_lacking, std::size_t groups_of) {
  return growth_from(kMany, [&](std::size_t pods) {
    auto world = full_node(pods, static_cast<std::int64_t>(pods) * share_lacking / 100 + 1);
    if (groups_of != 0) put_in_groups(world, groups_of == 1 ? pods : groups_of);
    return [world = std::move(world)] {
      EXPECT_EQ(test::plan(world, "web").outcome, PreemptionOutcome::Preempt);
    };
  });
}

TEST(NodeOfManyPods, OneVictimIsFoundAmongThem) {
  EXPECT_THAT(growth_of_plan(0, 0), Lt(kNotQuadratic));
}

TEST(NodeOfManyPods, MostOfThemMayHaveToGo) {
  EXPECT_THAT(growth_of_plan(80, 0), Lt(kNotQuadratic));
}

TEST(NodeOfManyPods, AllOfThemMayBeOneGroup) {
  EXPECT_THAT(growth_of_plan(0, 1), Lt(kNotQuadratic));
}

TEST(NodeOfManyPods, TheyMayBeThousandsOfGroups) {
  EXPECT_THAT(growth_of_plan(50, 2), Lt(kNotQuadratic));
}

TEST(NodeOfManyPods, TheFirstReasonsAreGiven) {
  const auto world = full_node(1'000, 500);
  const ResizePreemption planned = test::plan(world, "web");
  ASSERT_EQ(planned.victims.size(), 500U);
  EXPECT_THAT(planned.victims[99].why, HasSubstr("lowest priority (0) whose 1m cpu is needed"));
  EXPECT_EQ(planned.victims[100].why, "one of 500 that have to go, each of which is needed");
}

// ---- for a pending pod ----

// The only node is full of pods of one millicore.
test::ClusterWorld full_cluster(std::size_t pods) {
  test::ClusterWorld world;
  const auto count = static_cast<std::int64_t>(pods);
  world.node("n", count).allowed_pods = count + 1;
  world.pods.reserve(pods);
  for (std::size_t i = 0; i < pods; ++i) world.runs("batch-" + std::to_string(i), "n", 0, 1);
  return world;
}

TEST(NodeOfManyPods, APendingPodMayNeedMostOfTheirRoom) {
  const double growth = growth_from(kMany, [](std::size_t pods) {
    return [world = full_cluster(pods), pods] {
      const Pod web =
          test::ClusterWorld::pending("web", 100, static_cast<std::int64_t>(pods) * 4 / 5);
      const SchedulingDecision made = world.ask(web);
      EXPECT_EQ(made.victims.size(), pods * 4 / 5);
      EXPECT_EQ(made.victims.back().why, "one of " + std::to_string(pods * 4 / 5) +
                                             " that have to go, each of which is needed");
    };
  });
  EXPECT_THAT(growth, Lt(kNotQuadratic));
}

TEST(NodeOfManyPods, AllOfThemMayUseOneClaim) {
  const double growth = growth_from(kMany / 5, [](std::size_t pods) {
    test::ClusterWorld world = full_cluster(pods);
    for (Pod& each : world.pods) each.placement.claims = {{.name = "c"}};
    world.volumes.claims = {{.ns = "default",
                             .name = "c",
                             .uid = "c",
                             .volume = "v",
                             .access_modes = kReadWriteOncePod,
                             .is_completed = true}};
    world.volumes.volumes = {{.name = "v", .claim = ClaimRef{"default", "c", "c"}}};
    return [world = std::move(world), pods] {
      Pod web = test::ClusterWorld::pending("web", 100, 1);
      web.placement.claims = {{.name = "c"}};
      EXPECT_EQ(world.ask(web).victims.size(), pods);
    };
  });
  EXPECT_THAT(growth, Lt(kNotQuadratic));
}

// And the node takes no more of them.
TEST(NodeOfManyPods, EachMayUseAVolumeOfItsOwn) {
  const double growth = growth_from(kMany / 5, [](std::size_t pods) {
    test::ClusterWorld world = full_cluster(pods);
    const auto add = [&world](const std::string& name) {
      world.volumes.claims.push_back(
          {.ns = "default", .name = name, .uid = name, .volume = name, .is_completed = true});
      world.volumes.volumes.push_back(
          {.name = name, .driver = "d", .handle = name, .claim = ClaimRef{"default", name, name}});
    };
    for (Pod& each : world.pods) {
      each.placement.claims = {{.name = each.name}};
      add(each.name);
    }
    add("web");
    world.volumes.csi_nodes = {{.name = "n", .limits = {{"d", static_cast<int>(pods)}}}};
    return [world = std::move(world)] {
      Pod web = test::ClusterWorld::pending("web", 100, 1);
      web.placement.claims = {{.name = "web"}};
      EXPECT_EQ(world.ask(web).victims.size(), 1U);
    };
  });
  EXPECT_THAT(growth, Lt(kNotQuadratic));
}

}  // namespace
}  // namespace elbowroom::policy
