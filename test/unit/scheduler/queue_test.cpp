#include "scheduler/waiting/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

using cluster::Change;
using cluster::Changes;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Where = Queue::Where;

std::vector<std::string> drained(Queue& queue) {
  std::vector<std::string> ids;
  while (auto popped = queue.pop()) ids.push_back(popped->id);
  return ids;
}

TEST(Queue, PriorityThenTimeThenName) {
  Queue queue;
  queue.add("late", "n", 5, seconds(2));
  queue.add("b", "n", 5, seconds(1));
  queue.add("a", "n", 5, seconds(1));
  queue.add("high", "n", 9, seconds(3));
  queue.add("low", "n", -1, seconds(0));
  EXPECT_THAT(drained(queue), testing::ElementsAre("high", "a", "b", "late", "low"));
}

TEST(Queue, AChangeOfPriorityMovesIt) {
  Queue queue;
  queue.add("a", "n", 1, seconds(0));
  queue.add("b", "n", 2, seconds(0));
  queue.add("a", "n", 3, seconds(9));
  EXPECT_THAT(drained(queue), testing::ElementsAre("a", "b"));
}

TEST(Queue, OnlyACureOnItsOwnNodeWakesIt) {
  Queue queue;
  queue.add("a", "n", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.park("a", Change::PodLeft | Change::Ready, {}, seconds(0));
  EXPECT_EQ(queue.where("a"), Where::Parked);
  queue.wake("n", Change::PodGrew, seconds(1));
  queue.wake("other", Change::PodLeft, seconds(1));
  EXPECT_EQ(queue.where("a"), Where::Parked);
  queue.wake("n", Change::PodLeft, seconds(1));
  const auto popped = queue.pop();
  ASSERT_TRUE(popped);
  EXPECT_EQ(popped->cause, Queue::Cause::Change);
}

TEST(Queue, WhatHappensInFlightIsNotLost) {
  Queue queue;
  queue.add("a", "n", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.wake("n", Change::PodLeft, seconds(0));
  queue.park("a", Change::PodLeft, {}, seconds(0));
  EXPECT_EQ(queue.where("a"), Where::Active);
  ASSERT_TRUE(queue.pop());
  queue.wake("n", Change::Ready, seconds(0));
  queue.park("a", Change::PodLeft, {}, seconds(0));
  EXPECT_EQ(queue.where("a"), Where::Parked);
}

TEST(Queue, ADeadlineAndTheFlushBringItBack) {
  Queue queue;
  queue.add("a", "n", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.park("a", {}, seconds(20), seconds(0));
  EXPECT_EQ(queue.next(), seconds(20));
  queue.advance(seconds(19));
  EXPECT_FALSE(queue.has_active());
  queue.advance(seconds(20));
  EXPECT_EQ(queue.pop()->cause, Queue::Cause::Deadline);
  queue.park("a", {}, {}, seconds(20));
  queue.advance(seconds(319));
  EXPECT_FALSE(queue.has_active());
  queue.advance(seconds(320));
  EXPECT_EQ(queue.pop()->cause, Queue::Cause::Flush);
}

TEST(Queue, BackoffDoublesAndIsForgottenAfterATurn) {
  Queue queue;
  queue.add("a", "n", 1, seconds(0));
  milliseconds now{0};
  for (const int expected : {1, 2, 4, 8, 10, 10}) {
    ASSERT_TRUE(queue.pop());
    queue.retry("a", "uid-a", seconds(0), now);
    EXPECT_GE(*queue.next() - now, seconds(expected));
    EXPECT_LE(*queue.next() - now, milliseconds(1250) * expected);
    queue.wake("n", Changes::all(), now);  // an error is no matter of the node
    EXPECT_FALSE(queue.has_active());
    now = *queue.next();
    queue.advance(now);
  }
  ASSERT_TRUE(queue.pop());
  queue.park("a", Change::PodLeft, {}, now);
  queue.wake("n", Change::PodLeft, now);
  ASSERT_TRUE(queue.pop());
  queue.retry("a", "uid-a", seconds(0), now);
  EXPECT_LE(*queue.next() - now, milliseconds(1250));
}

TEST(Queue, AWishIsHeededUpToAMinute) {
  Queue queue;
  queue.add("a", "n", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.retry("a", "uid-a", seconds(20), seconds(0));
  EXPECT_GE(*queue.next(), seconds(20));
  EXPECT_LE(*queue.next(), seconds(25));
  queue.advance(seconds(25));
  ASSERT_TRUE(queue.pop());
  queue.retry("a", "uid-a", seconds(1'000'000), seconds(25));
  EXPECT_LE(*queue.next(), seconds(25 + 75));
}

TEST(Queue, APendingPodIsWokenByAChangeOnAnyNode) {
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  queue.add("q", "", 2, seconds(0));
  while (queue.pop()) {
  }
  queue.park("p", {.anywhere = Change::PodLeft}, seconds(0));
  queue.park("q", {.anywhere = Change::Allocatable}, seconds(0));
  queue.wake("n", Change::PodArrived, seconds(5));
  EXPECT_FALSE(queue.has_active());
  queue.wake("n", Change::PodLeft, seconds(5));
  const auto popped = queue.pop();
  ASSERT_TRUE(popped);
  EXPECT_EQ(popped->id, "p");
  EXPECT_EQ(popped->cause, Queue::Cause::Change);
  EXPECT_FALSE(queue.pop());
}

TEST(Queue, APendingPodRestsAfterATurnInVainAndEachTimeLonger) {
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  milliseconds now{0};
  for (const int rest : {1, 2, 4, 8, 10, 10}) {
    ASSERT_TRUE(queue.pop());
    queue.park("p", {.anywhere = Change::PodLeft}, now);
    queue.wake("n", Change::PodLeft, now + milliseconds(1));
    queue.wake("m", Change::PodLeft, now + milliseconds(2));
    EXPECT_FALSE(queue.has_active());
    EXPECT_EQ(queue.next(), now + seconds(rest));
    now += seconds(rest);
    queue.advance(now);
  }
  EXPECT_EQ(queue.pop()->cause, Queue::Cause::Change);
  queue.park("p", {.there = Change::Own, .anywhere = Change::PodLeft}, now);
  queue.wake_one("p", Change::Own, now);  // it asks for something else, so it is tried at once
  ASSERT_TRUE(queue.pop());
  queue.park("p", {.anywhere = Change::PodLeft}, now);
  queue.wake("n", Change::PodLeft, now + seconds(1));
  EXPECT_TRUE(queue.has_active());
}

// News that can wait neither ends its rest nor shortens the next one, and is not lost in flight.
TEST(Queue, WhatCanWaitWakesItAfterItsRest) {
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  milliseconds now{0};
  for (const int rest : {1, 2, 4}) {
    ASSERT_TRUE(queue.pop());
    queue.park("p", Queue::Wish{}, now);
    queue.wake_later("p", now);
    queue.wake_later("p", now + milliseconds(1));
    EXPECT_EQ(queue.next(), now + seconds(rest));
    now += seconds(rest);
    queue.advance(now);
  }
  ASSERT_TRUE(queue.pop());
  queue.wake_later("p", now);
  queue.park("p", Queue::Wish{}, now);
  EXPECT_EQ(queue.next(), now + seconds(8));
  queue.advance(now + seconds(8));
  ASSERT_TRUE(queue.pop());
  queue.park("p", Queue::Wish{}, now + seconds(8));
  EXPECT_EQ(queue.where("p"), Where::Parked);
  queue.wake_later("p", now + seconds(60));
  EXPECT_EQ(queue.where("p"), Where::Active);
}

TEST(Queue, WhoIsNominatedIsWokenAtOnceByItsNode) {
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.park("p", {.nodes = {"n"}, .there = Change::PodLeft, .anywhere = Change::Allocatable},
             seconds(0));
  queue.wake("other", Change::PodLeft, seconds(0));
  EXPECT_EQ(queue.where("p"), Where::Parked);
  queue.wake("other", Change::Allocatable, seconds(0));
  EXPECT_EQ(queue.where("p"), Where::Backoff);
  queue.wake("n", Change::PodLeft, seconds(0));
  EXPECT_EQ(queue.where("p"), Where::Active);
  ASSERT_TRUE(queue.pop());
  queue.park("p", {.anywhere = Change::Allocatable}, seconds(20));  // nominated no more
  queue.wake("n", Change::PodLeft, seconds(60));
  EXPECT_EQ(queue.where("p"), Where::Parked);
}

TEST(Queue, WhatHappensAnywhereWhileAPendingPodIsInFlightIsNotLost) {
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.wake("n", Change::PodLeft, seconds(0));
  queue.park("p", {.anywhere = Change::PodLeft}, seconds(0));
  EXPECT_EQ(queue.where("p"), Where::Backoff);
  queue.advance(seconds(1));
  ASSERT_TRUE(queue.pop());
  queue.park("p", {.anywhere = Change::PodLeft}, seconds(1));  // that was before
  EXPECT_EQ(queue.where("p"), Where::Parked);
}

TEST(Queue, WhatHappensOnTheNodeOfANominatedPodInFlightIsNotLost) {
  const Queue::Wish wish{.nodes = {"n"}, .there = Change::PodLeft};
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.park("p", wish, seconds(0));
  queue.wake("n", Change::PodLeft, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.wake("n", Change::PodLeft, seconds(0));
  queue.park("p", wish, seconds(0));
  EXPECT_EQ(queue.where("p"), Where::Active);
  ASSERT_TRUE(queue.pop());
  queue.wake("n", Change::PodLeft, seconds(0));
  queue.park("p", {.nodes = {"m"}, .there = Change::PodLeft}, seconds(0));
  EXPECT_EQ(queue.where("p"), Where::Parked) << "it waits for another node by now";
}

TEST(Queue, ItsOwnDoingIsNoNewsToAPendingPod) {
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  queue.add("q", "", 0, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.wake("n", Change::Nominated, seconds(0), "p");
  queue.park("p", {.nodes = {"n"}, .there = Change::Nominated, .anywhere = Change::Nominated},
             seconds(0));
  EXPECT_EQ(queue.where("p"), Where::Parked);
  ASSERT_TRUE(queue.pop());
  queue.wake("m", Change::Nominated, seconds(0), "p");
  queue.park("q", {.anywhere = Change::Nominated}, seconds(0));
  EXPECT_EQ(queue.where("q"), Where::Backoff);
  EXPECT_EQ(queue.where("p"), Where::Parked);
}

TEST(Queue, AParkedOneCanBeLookedAtSooner) {
  Queue queue;
  queue.add("p", "", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  queue.park("p", Queue::Wish{}, seconds(0));
  queue.look_by("p", seconds(10));
  queue.look_by("p", seconds(20));
  EXPECT_EQ(queue.next(), seconds(10));
  queue.advance(seconds(10));
  EXPECT_EQ(queue.pop()->cause, Queue::Cause::Deadline);
}

TEST(Queue, WhatIsRemovedIsGoneFromEverywhere) {
  Queue queue;
  for (const char* id : {"active", "parked", "flight", "backoff"})
    queue.add(id, "n", 1, seconds(0));
  while (const auto popped = queue.pop()) {
    if (popped->id == "parked") queue.park("parked", Changes::all(), seconds(5), seconds(0));
    if (popped->id == "backoff") queue.retry("backoff", "uid-b", seconds(0), seconds(0));
  }
  for (const char* id : {"active", "parked", "flight", "backoff"}) queue.remove(id);
  queue.remove("nobody");
  queue.wake("n", Changes::all(), seconds(1));
  queue.advance(seconds(1000));
  EXPECT_FALSE(queue.pop());
  EXPECT_FALSE(queue.next());
}

TEST(Queue, WhatIsRemovedWaitsNoMoreAmongPodsLikeIt) {
  Queue queue;
  queue.unplaced().add("like-them", {.cures = policy::Relief::Budget}, "no room");
  for (const char* id : {"removed", "parked"}) {
    queue.add(id, "", 1, seconds(0));
    ASSERT_TRUE(queue.pop());
    queue.park(id, Queue::Wish{.signature = "like-them"}, seconds(0));
  }
  queue.remove("removed");
  const policy::ClusterRoom room;
  EXPECT_THAT(queue.unplaced().follow(room, {.brings = policy::Relief::Budget}, seconds(0)).now,
              testing::ElementsAre("parked"));
}

TEST(Queue, KnowsWhichNodesWaitForWhat) {
  Queue queue;
  queue.add("a", "n1", 1, seconds(0));
  queue.add("b", "n2", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  ASSERT_TRUE(queue.pop());
  queue.park("a", Change::Budget, {}, seconds(0));
  queue.park("b", Change::PodLeft, {}, seconds(0));
  EXPECT_TRUE(queue.waits_for("n1", Change::Budget));
  EXPECT_FALSE(queue.waits_for("n2", Change::Budget));
  EXPECT_FALSE(queue.waits_for("n3", Change::Budget));
  std::vector<std::string> nodes;
  queue.each_node([&](const std::string& node) { nodes.push_back(node); });
  EXPECT_THAT(nodes, testing::ElementsAre("n1", "n2"));
  EXPECT_EQ(queue.nodes(), 2);
}

// queue.backoff_group: the longest backoff by the number of pods.
TEST(Queue, TheLongestBackoffGrowsWithTheSquareRootOfTheGang) {
  for (const auto& [pods, longest] : {std::pair(1, 10), std::pair(4, 20), std::pair(100, 100)}) {
    Queue queue;
    queue.add("@g", "", 1, seconds(0));
    queue.set_size("@g", static_cast<std::size_t>(pods));
    Queue::Time now{0};
    Queue::Time waited{0};
    for (int turn = 0; turn < 12; ++turn) {
      ASSERT_TRUE(queue.pop());
      queue.retry("@g", "", seconds(0), now);
      waited = *queue.next() - now;
      now = *queue.next();
      queue.advance(now);
    }
    EXPECT_GE(waited, seconds(longest)) << pods;
    EXPECT_LE(waited, seconds(longest) * 5 / 4) << pods << ": with jitter";
  }
}

// What becomes possible happens within 15 seconds.
TEST(Queue, AChangeWakesALargeGangAsSoonAsAPod) {
  Queue queue;
  queue.add("@g", "", 1, seconds(0));
  queue.set_size("@g", 256);
  Queue::Time now{0};
  for (int turn = 0; turn < 12; ++turn) {
    ASSERT_TRUE(queue.pop());
    queue.park("@g", {.anywhere = Change::PodLeft}, now);
    queue.wake("n", Change::PodLeft, now);
    EXPECT_LE(*queue.next() - now, Queue::kLongestBackoff);
    now = *queue.next();
    queue.advance(now);
  }
}

}  // namespace
}  // namespace elbowroom::scheduler
