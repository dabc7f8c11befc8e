#include "policy/preemption/removed_groups.h"

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace elbowroom::policy {
namespace {

Pod member(const std::string& name, const std::string& node, DisruptionMode mode,
           std::optional<std::int32_t> min_count = std::nullopt) {
  Pod pod;
  pod.ns = "default";
  pod.name = name;
  pod.uid = "u-" + name;
  pod.node = node;
  pod.phase = Phase::Running;
  pod.scheduling_group = "train";
  pod.group = {.uid = "g", .mode = mode, .min_count = min_count};
  return pod;
}

std::vector<ChosenVictim> removal_of(const std::vector<Pod>& pods, const std::string& unit = "") {
  std::vector<ChosenVictim> victims;
  for (const Pod& each : pods) {
    victims.push_back({.pod = &each, .unit = unit.empty() ? key_of(each) : unit});
  }
  return victims;
}

TEST(RemovedGroups, AreCountedWithTheNodesOfTheirPods) {
  const std::vector<Pod> pods = {member("a", "n2", DisruptionMode::All),
                                 member("b", "n1", DisruptionMode::All),
                                 member("c", "n1", DisruptionMode::All)};
  const std::vector<RemovedGroup> expected = {
      {.group = "default/train", .uid = "g", .pods = 3, .nodes = {"n1", "n2"}}};
  EXPECT_EQ(whole_groups(removal_of(pods, "default/train")), expected);
}

// A pod may be named like its group: the name of its unit does not make it one.
TEST(RemovedGroups, APodOfAGroupThatGoesOneByOneIsNone) {
  const std::vector<Pod> pods = {member("train", "n1", DisruptionMode::Single)};
  EXPECT_TRUE(whole_groups(removal_of(pods)).empty());
}

TEST(DepletedGangs, ThoseThatKeepFewerThanMinCount) {
  std::vector<Pod> pods = {member("a", "n1", DisruptionMode::Single, 2),
                           member("b", "n1", DisruptionMode::Single, 2),
                           member("c", "n2", DisruptionMode::Single, 2)};
  RunningMembers running;
  count_running(pods, running);
  EXPECT_EQ(running["default/train"], 3U);
  const auto gone = [&](std::size_t count) {
    const std::vector<ChosenVictim> victims = removal_of(pods);
    return depleted_gangs(std::span<const ChosenVictim>(victims).first(count), running);
  };
  EXPECT_TRUE(gone(1).empty()) << "two stay";
  const std::vector<DepletedGang> expected = {
      {.group = "default/train", .uid = "g", .min_count = 2, .left = 1}};
  EXPECT_EQ(gone(2), expected);
}

TEST(DepletedGangs, PodsThatDoNotRunAreNotCounted) {
  std::vector<Pod> pods(4, member("a", "n1", DisruptionMode::Single, 1));
  pods[0].node.clear();
  pods[1].phase = Phase::Succeeded;
  pods[2].deletion = Time{};
  RunningMembers running;
  count_running(pods, running);
  EXPECT_EQ(running["default/train"], 1U);
  const std::vector<ChosenVictim> victims = removal_of(pods);
  const auto last = std::span<const ChosenVictim>(victims).last(1);
  EXPECT_EQ(depleted_gangs(last, running).size(), 1U) << "none is left";
}

TEST(DepletedGangs, AGroupThatIsNoGangIsNone) {
  const std::vector<Pod> pods = {member("a", "n1", DisruptionMode::Single)};
  EXPECT_TRUE(depleted_gangs(removal_of(pods), {}).empty());
}

TEST(RemovedGroupsInWords, AreNamedOnlyToTheirOwnNamespace) {
  const std::vector<RemovedGroup> whole = {
      {.group = "default/train", .uid = "g", .pods = 3, .nodes = {"n1", "n2"}}};
  const std::vector<DepletedGang> depleted = {
      {.group = "default/train", .uid = "g", .min_count = 2, .left = 1}};
  EXPECT_EQ(removed_groups_in_words(whole, depleted, "default").on_pod(),
            "; pod group default/train goes whole (3 pods on nodes n1 and n2); pod group "
            "default/train keeps 1 of minCount (2)");
  const PodText other = removed_groups_in_words(whole, {}, "web");
  EXPECT_EQ(other.on_pod(), "; pod group uid g goes whole (3 pods on nodes n1 and n2)");
  EXPECT_EQ(other.full(), "; pod group default/train goes whole (3 pods on nodes n1 and n2)");
  EXPECT_TRUE(removed_groups_in_words({}, {}, "default").empty());
}

TEST(RemovedGroupsInWords, NameAFewNodes) {
  RemovedGroup one{.group = "default/train", .uid = "g", .pods = 1, .nodes = {"n1"}};
  EXPECT_EQ(removed_groups_in_words({one}, {}, "default").full(),
            "; pod group default/train goes whole (1 pod on node n1)");
  one.pods = 9;
  one.nodes = {"n1", "n2", "n3", "n4", "n5", "n6", "n7"};
  EXPECT_EQ(removed_groups_in_words({one}, {}, "default").full(),
            "; pod group default/train goes whole (9 pods on nodes n1, n2, n3, n4, n5 and 2 more)");
}

}  // namespace
}  // namespace elbowroom::policy
