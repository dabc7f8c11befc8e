// What a pending pod that no node admits waits for: the table of cures, and which changes help.
#include "policy/placement/want.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/placement/schedule.h"
#include "test/cluster_world.h"

namespace elbowroom::policy {
namespace {

using test::ClusterWorld;

constexpr Reliefs kCompanyOrNode = Relief::Company | Relief::Node;

struct Cure {
  Reason reason{};
  Reliefs by{};
};

TEST(Want, EachReasonNamesWhatCuresIt) {
  const std::vector<Cure> expected = {{Reason::Deleted, {}},
                                      {Reason::Gated, Relief::Own},
                                      {Reason::Group, Relief::Own},
                                      {Reason::ResourceClaims, Relief::Own},
                                      {Reason::VolumeClaims, Relief::Own},
                                      {Reason::Avoided, {}},
                                      {Reason::Unschedulable, Relief::Node},
                                      {Reason::Taint, Relief::Node},
                                      {Reason::NodeAffinity, Relief::Node},
                                      {Reason::HostPorts, Relief::Room},
                                      {Reason::TooManyPods, Relief::Room},
                                      {Reason::Cpu, Relief::Room},
                                      {Reason::Memory, Relief::Room},
                                      {Reason::EphemeralStorage, Relief::Room},
                                      {Reason::OtherResource, Relief::Room},
                                      {Reason::ClaimInUse, Relief::Company},
                                      {Reason::VolumeLimit, Relief::Room | Relief::Company},
                                      {Reason::VolumeNode, Relief::Node},
                                      {Reason::VolumeUnbound, Relief::Node | Relief::Own},
                                      {Reason::VolumeSpace, Relief::Node | Relief::Own},
                                      {Reason::VolumeGone, Relief::Own},
                                      {Reason::VolumeZone, Relief::Node},
                                      {Reason::SpreadLabel, kCompanyOrNode},
                                      {Reason::Spread, kCompanyOrNode},
                                      {Reason::Near, kCompanyOrNode},
                                      {Reason::Apart, kCompanyOrNode},
                                      {Reason::ExistingAntiAffinity, kCompanyOrNode}};
  for (const auto& [reason, by] : expected) {
    EXPECT_TRUE(cures_of(reason) == by) << std::to_underlying(reason);
    EXPECT_TRUE(cures_of_all(1U << std::to_underlying(reason)) == by);
  }
}

// Asks for a pod in the world, and then whether changes help it.
class Asked {
 public:
  Asked(const ClusterWorld& world, const Pod& pod)
      : room_(room_of({.nodes = world.nodes,
                       .pods = world.pods,
                       .budgets = world.budgets,
                       .namespaces = world.namespaces,
                       .now = world.now})),
        decision_(schedule(room_, pod, {.now = world.now, .asks_want = true})) {}

  [[nodiscard]] bool is_refused() const { return decision_.want.has_value(); }
  ClusterRoom& room() { return room_; }
  [[nodiscard]] bool helps(Reliefs brings, const std::string& node, const Pod* before = nullptr,
                           const Pod* after = nullptr, bool is_new = false) {
    const RoomChange change{.brings = brings,
                            .node = room_.find_node(node),
                            .is_new_node = is_new,
                            .before = before,
                            .after = after};
    return ReliefOf(room_, change).helps(*decision_.want);
  }

 private:
  ClusterRoom room_;
  SchedulingDecision decision_;
};

TEST(Want, RoomHelpsOnlyWhereThePodCouldFit) {
  ClusterWorld world;
  world.node("small", 2'000);
  world.node("large", 8'000);
  world.runs("db", "large", 9, 5'000);
  Asked asked(world, ClusterWorld::pending("web", 5, 4'000));
  ASSERT_TRUE(asked.is_refused());
  EXPECT_FALSE(asked.helps(Relief::Room, "small"));
  EXPECT_FALSE(asked.helps(Relief::Room, "large"));
  asked.room().remove(world.pods.front());
  EXPECT_TRUE(asked.helps(Relief::Room, "large"));
}

TEST(Want, PodsThatCouldBeRemovedAreNoHindrance) {
  ClusterWorld world;
  world.node("n", 4'000);
  world.runs("db", "n", 9, 2'000);
  world.runs("low", "n", 1, 2'000);
  Pod pod = ClusterWorld::pending("web", 5, 3'000);
  Asked asked(world, pod);
  ASSERT_TRUE(asked.is_refused());
  asked.room().remove(world.pods.front());
  EXPECT_TRUE(asked.helps(Relief::Room, "n"));
  pod.preemption_policy = PreemptionPolicy::Never;
  Asked never(world, pod);
  never.room().remove(world.pods.front());
  EXPECT_FALSE(never.helps(Relief::Room, "n"));
}

TEST(Want, ANodeThatDoesNotAdmitThePodHelpsOnlyWhenItChangesItself) {
  ClusterWorld world;
  world.node("n", 4'000).labels["disk"] = "hdd";
  Pod pod = ClusterWorld::pending("web", 5, 3'000);
  pod.placement.node_selector = {{"disk", "ssd"}};
  Asked asked(world, pod);
  ASSERT_TRUE(asked.is_refused());
  EXPECT_FALSE(asked.helps(Relief::Room, "n"));
  EXPECT_TRUE(asked.helps(Relief::Node, "n"));
  EXPECT_TRUE(asked.helps(Relief::Room | Relief::Node, "n", nullptr, nullptr, true));
}

TEST(Want, AnUnrelatedPodIsNoCompany) {
  ClusterWorld world;
  world.node("n", 4'000);
  world.runs("first", "n", 9, 0).labels["app"] = "web";
  Pod other = world.runs("other", "n", 9, 0);
  Pod pod = ClusterWorld::pending("web", 5, 1'000);
  pod.placement.required_anti_affinity = {
      {.selector = LabelSelector{.match_labels = {{"app", "web"}}},
       .namespaces = {"default"},
       .topology_key = "kubernetes.io/hostname"}};
  Asked asked(world, pod);
  ASSERT_TRUE(asked.is_refused());
  EXPECT_FALSE(asked.helps(Relief::Company, "n", &other));
  EXPECT_TRUE(asked.helps(Relief::Company, "n", &world.pods.front()));
  EXPECT_TRUE(asked.helps(Relief::Company, "n"));  // it is not known which pod
}

TEST(Want, APodThatRepelsItIsCompany) {
  ClusterWorld world;
  world.node("n", 4'000);
  Pod& repels = world.runs("first", "n", 9, 0);
  repels.placement.required_anti_affinity = {{.selector = LabelSelector{},
                                              .namespaces = {"default"},
                                              .topology_key = "kubernetes.io/hostname"}};
  Asked asked(world, ClusterWorld::pending("web", 5, 1'000));
  ASSERT_TRUE(asked.is_refused());
  EXPECT_TRUE(asked.helps(Relief::Room | Relief::Company, "n", &repels));
}

TEST(Want, WhoUsesTheSameClaimIsCompany) {
  const ClusterRoom room(RuleSet::Elbowroom);
  Pod pod = ClusterWorld::pending("web", 5, 1'000);
  pod.placement.claims = {{.name = "data"}};
  Want want = want_of(pod);
  want.cures = Relief::Company;
  const auto helps = [&](const std::string& ns, const std::string& claim) {
    Pod other = ClusterWorld::pending("other", 5, 0);
    other.ns = ns;
    other.placement.claims = {{.name = claim}};
    return ReliefOf(room, {.brings = Relief::Company, .before = &other}).helps(want);
  };
  EXPECT_TRUE(helps("default", "data"));
  EXPECT_FALSE(helps("default", "log"));
  EXPECT_FALSE(helps("shop", "data")) << "another one of that name";
}

TEST(Want, ABudgetHelpsOnlyAPodThatMayPreempt) {
  ClusterWorld world;
  world.node("n", 1'000);
  Pod pod = ClusterWorld::pending("web", 5, 2'000);
  EXPECT_TRUE(Asked(world, pod).helps(Relief::Budget, ""));
  pod.preemption_policy = PreemptionPolicy::Never;
  EXPECT_FALSE(Asked(world, pod).helps(Relief::Budget, ""));
}

// The node admits the pod from now on: later room there helps.
TEST(Want, ANodeThatLacksRoomWhenItAdmitsThePodIsNoted) {
  ClusterWorld world;
  world.node("n", 4'000).unschedulable = true;
  world.runs("db", "n", 9, 4'000);
  const Pod pod = ClusterWorld::pending("web", 5, 1'000);
  Asked asked(world, pod);
  ASSERT_TRUE(asked.is_refused());
  Want want = want_of(pod);
  want.cures = Relief::Node;
  want.admitted = {false};
  const RoomChange uncordoned{.brings = Relief::Node, .node = asked.room().find_node("n")};
  EXPECT_FALSE(ReliefOf(asked.room(), uncordoned).helps(want));
  note(want, uncordoned);
  asked.room().remove(world.pods.front());
  const RoomChange left{.brings = Relief::Room, .node = uncordoned.node};
  EXPECT_TRUE(ReliefOf(asked.room(), left).helps(want));
}

}  // namespace
}  // namespace elbowroom::policy
