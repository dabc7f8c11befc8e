#include "scheduler/removal/refused_removals.h"

#include <gtest/gtest.h>

#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using std::chrono::minutes;
using std::chrono::seconds;
using test::running_pod;

TEST(RefusedRemovals, TheWaitDoublesUpToHalfAnHour) {
  const Pod pod = running_pod("a", 1000);
  RefusedRemovals refusals;
  RefusedRemovals::Time now{0};
  for (const auto wait :
       {minutes(1), minutes(2), minutes(4), minutes(8), minutes(16), minutes(30), minutes(30)}) {
    refusals.refused(pod, "no", now);
    EXPECT_EQ(refusals.next("node-1", now), now + wait);
    EXPECT_TRUE(refusals.holds("uid-a", now + wait - RefusedRemovals::Time(1)));
    now += wait;
    EXPECT_FALSE(refusals.holds("uid-a", now));
    EXPECT_TRUE(refusals.on("node-1", now).empty());
  }
}

TEST(RefusedRemovals, SaysWhyForItsNodeAlone) {
  RefusedRemovals refusals;
  refusals.refused(running_pod("a", 1000), std::string(1000, 'x'), seconds(0));
  EXPECT_TRUE(refusals.on("node-2", seconds(1)).empty());
  const auto on = refusals.on("node-1", seconds(1));
  ASSERT_TRUE(on.contains("uid-a"));
  EXPECT_LT(on.at("uid-a").size(), 320U);
  EXPECT_EQ(refusals.told("node-1", seconds(1)).at(0).key, "default/a");
  EXPECT_EQ(refusals.held(seconds(1)), 1U);
}

TEST(RefusedRemovals, EndWhenTheObjectIsAnotherOne) {
  const Pod before = running_pod("a", 1000);
  const auto is_held_after = [&](auto change) {
    RefusedRemovals refusals;
    refusals.refused(before, "no", seconds(0));
    Pod after = before;
    change(after);
    refusals.saw(&before, &after);
    return refusals.holds("uid-a", seconds(1));
  };
  EXPECT_FALSE(is_held_after([](Pod& pod) { pod.labels["app"] = "x"; }));
  EXPECT_FALSE(is_held_after([](Pod& pod) { ++pod.generation; }));
  EXPECT_FALSE(is_held_after([](Pod& pod) { pod.uid = "another"; }));
  EXPECT_TRUE(is_held_after([](Pod& pod) { pod.resource_version = "7"; })) << "our mark does that";
  EXPECT_TRUE(is_held_after([](Pod& pod) { pod.conditions.push_back({.type = "Ready"}); }));
}

TEST(RefusedRemovals, EndWhenThePodIsGone) {
  const Pod pod = running_pod("a", 1000);
  RefusedRemovals refusals;
  refusals.refused(pod, "no", seconds(0));
  refusals.saw(&pod, nullptr);
  EXPECT_EQ(refusals.held(seconds(1)), 0U);
}

}  // namespace
}  // namespace elbowroom::scheduler
