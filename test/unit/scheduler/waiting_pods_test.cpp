// Which pods wait, and whether a mark is still needed for one of them.
#include "scheduler/waiting/waiting_pods.h"

#include <gtest/gtest.h>

#include <chrono>

#include "test/pods.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;
using test::deferred;
using test::running_pod;

class WaitingPodsTest : public ::testing::Test {
 protected:
  std::optional<Waiting> follow(const policy::Pod* before, const policy::Pod* after, int second) {
    waiting_.follow_deferral(before, after, seconds(second));
    return waiting_.follow(before, after, false, seconds(second));
  }

  const policy::Pod web_ = deferred(running_pod("web", 1000, 0, 100), 4000);
  WaitingPods waiting_;
};

TEST_F(WaitingPodsTest, ADeferredPodHasAnEntryUntilItIsGone) {
  EXPECT_FALSE(follow(nullptr, &web_, 1));
  ASSERT_NE(waiting_.find("default/web", web_.uid), nullptr);
  EXPECT_TRUE(waiting_.queue().contains("default/web"));
  EXPECT_EQ(waiting_.find("default/web", "uid-other"), nullptr);
  EXPECT_EQ(waiting_.find("default/web", web_.uid, web_.generation + 1), nullptr);
  const auto dropped = follow(&web_, nullptr, 2);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->uid, web_.uid);
  EXPECT_FALSE(waiting_.queue().contains("default/web"));
  EXPECT_FALSE(waiting_.drop("default/web"));
}

// It is Deferred since it was first seen so; what was known of the earlier size is forgotten.
TEST_F(WaitingPodsTest, AnotherSizeIsAnotherWait) {
  follow(nullptr, &web_, 1);
  waiting_.find("default/web")->refused = 3;
  policy::Pod larger = web_;
  ++larger.generation;
  for (policy::Condition& each : larger.conditions) each.observed_generation = larger.generation;
  const auto dropped = follow(&web_, &larger, 5);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->refused, 3U);
  const Waiting* now = waiting_.find("default/web");
  ASSERT_NE(now, nullptr);
  EXPECT_EQ(now->refused, 0U);
  EXPECT_EQ(now->since, seconds(5));
  EXPECT_EQ(now->deferred_since, seconds(1));
}

TEST_F(WaitingPodsTest, TheLastSetIsKnownWhileThePodIsDeferred) {
  follow(nullptr, &web_, 1);
  waiting_.put_last_set(web_.uid, {.generation = 7});
  policy::Pod labelled = web_;
  labelled.labels["app"] = "web";
  follow(&web_, &labelled, 2);
  ASSERT_NE(waiting_.last_set(web_.uid), nullptr);
  EXPECT_EQ(waiting_.last_set(web_.uid)->generation, 7);
  policy::Pod admitted = labelled;
  admitted.conditions.clear();
  follow(&labelled, &admitted, 3);
  EXPECT_EQ(waiting_.last_set(web_.uid), nullptr);
}

TEST_F(WaitingPodsTest, AMarkIsNeededWhileItsPreemptorMayStillRemoveThePod) {
  follow(nullptr, &web_, 1);
  const policy::RemovalMark mark{.uid = web_.uid, .generation = web_.generation};
  EXPECT_TRUE(waiting_.needs(mark, web_.node));
  EXPECT_FALSE(waiting_.needs(mark, "node-9"));
  EXPECT_FALSE(waiting_.needs({.uid = web_.uid, .generation = 99}, web_.node));
  EXPECT_FALSE(waiting_.needs({.uid = "uid-other", .generation = web_.generation}, web_.node));
  // Its turn says that no pod is to be removed.
  static_cast<void>(waiting_.queue().pop());
  waiting_.find("default/web")->result = TurnResult::NoVictims;
  waiting_.queue().park("default/web", kChoice, std::nullopt, seconds(2));
  EXPECT_FALSE(waiting_.needs(mark, web_.node));
  // A new leadership judges it again.
  waiting_.begin_again(seconds(3));
  EXPECT_TRUE(waiting_.needs(mark, web_.node));
}

}  // namespace
}  // namespace elbowroom::scheduler
