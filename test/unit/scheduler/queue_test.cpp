#include "scheduler/queue.h"

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

TEST(Queue, KnowsWhichNodesWaitForWhat) {
  Queue queue;
  queue.add("a", "n1", 1, seconds(0));
  queue.add("b", "n2", 1, seconds(0));
  ASSERT_TRUE(queue.pop());
  ASSERT_TRUE(queue.pop());
  queue.park("a", Change::Budget, {}, seconds(0));
  queue.park("b", Change::PodLeft, {}, seconds(0));
  EXPECT_THAT(queue.nodes_waiting_for(Change::Budget), testing::ElementsAre("n1"));
}

}  // namespace
}  // namespace elbowroom::scheduler
