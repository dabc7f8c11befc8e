#include "scheduler/breaker/circuit_breaker.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::scheduler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// That many pods, different from all others of that letter.
std::vector<std::string> pods(char letter, std::size_t count) {
  std::vector<std::string> uids;
  for (std::size_t i = 0; i < count; ++i) uids.push_back(letter + std::to_string(i));
  return uids;
}

// The time from which the victims may be removed; nothing: never.
std::optional<CircuitBreaker::Time> at(const CircuitBreaker& breaker, std::string_view preemptor,
                                       std::string_view node,
                                       const std::vector<std::string>& victims,
                                       CircuitBreaker::Time now) {
  const auto answer = breaker.allowed_at(preemptor, node, victims, now);
  return answer ? std::optional(answer->at()) : std::nullopt;
}

TEST(CircuitBreaker, ThreeSetsForOnePodInTenMinutes) {
  CircuitBreaker breaker{{}};
  for (int set = 0; set < 3; ++set) {
    const auto now = minutes(set);
    const auto victims = pods(static_cast<char>('a' + set), 1);
    EXPECT_EQ(at(breaker, "u", "n", victims, now), now);
    breaker.note("u", {{"n", victims}}, now);
    EXPECT_EQ(at(breaker, "u", "n", victims, now), now) << "they were counted";
  }
  EXPECT_EQ(at(breaker, "u", "other", pods('x', 1), minutes(3)), minutes(10));
  EXPECT_EQ(at(breaker, "another", "n", pods('x', 1), minutes(3)), minutes(3));
  breaker.advance(minutes(10));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), minutes(10)), minutes(10));
}

TEST(CircuitBreaker, ASetOverManyNodesIsOneSetOfItsPreemptorAndCountsOnEachNode) {
  CircuitBreaker breaker{{}};
  for (int set = 0; set < 2; ++set) {
    const char letter = static_cast<char>('a' + set);
    breaker.note("u", {{"m", pods(letter, 3)}, {"n", pods(static_cast<char>(letter + 9), 4)}},
                 minutes(set));
  }
  EXPECT_EQ(at(breaker, "u", "m", pods('x', 1), minutes(2)), minutes(2)) << "a third set";
  EXPECT_EQ(at(breaker, "v", "m", pods('x', 4), minutes(2)), minutes(2));
  EXPECT_EQ(at(breaker, "v", "m", pods('x', 5), minutes(2)), minutes(10));
  EXPECT_EQ(at(breaker, "v", "n", pods('x', 3), minutes(2)), minutes(10));
}

// Pods are listed before their nodes.
TEST(CircuitBreaker, WhatWasSeenBeforeTheNodeIsKnownCountsForItOnce) {
  CircuitBreaker breaker{{.pods_per_node = 3}};
  breaker.note("u", {{"uid-n", pods('a', 1)}}, minutes(0));
  for (const std::string& pod : pods('a', 2)) {
    breaker.saw("u", "n", pod, minutes(0), minutes(0));
  }
  breaker.know_node("n", "uid-n");
  EXPECT_EQ(at(breaker, "v", "uid-n", pods('x', 1), minutes(1)), minutes(1));
  EXPECT_EQ(at(breaker, "v", "uid-n", pods('x', 2), minutes(1)), minutes(10));
  EXPECT_EQ(at(breaker, "v", "n", pods('x', 3), minutes(1)), minutes(1));
  breaker.advance(minutes(10));
  EXPECT_EQ(at(breaker, "v", "uid-n", pods('x', 3), minutes(10)), minutes(10));
}

// A set that was counted and never removed, because its preemptor's removal ended before.
TEST(CircuitBreaker, WhatWasNotedForAnotherPreemptorIsASetAllTheSame) {
  CircuitBreaker breaker{{}};
  breaker.note("v", {{"n", pods('a', 1)}}, minutes(0));
  breaker.note("u", {{"n", pods('b', 1)}}, minutes(1));
  breaker.note("u", {{"n", pods('c', 1)}}, minutes(2));
  EXPECT_EQ(breaker.unnoted("u", "n", pods('a', 1)), pods('a', 1));
  EXPECT_EQ(at(breaker, "u", "n", pods('a', 1), minutes(3)), minutes(3));
  breaker.note("u", {{"n", pods('a', 1)}}, minutes(3));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), minutes(4)), minutes(11)) << "three sets";
  EXPECT_EQ(at(breaker, "w", "n", pods('x', 7), minutes(4)), minutes(4)) << "three pods";
  EXPECT_EQ(at(breaker, "w", "n", pods('x', 8), minutes(4)), minutes(11));
}

// The node loses no more than before, also where its pod was noted for another.
TEST(CircuitBreaker, AFullNodeLosesWhatWasNotedForAnotherPreemptor) {
  CircuitBreaker breaker{{}};
  breaker.note("v", {{"n", pods('a', 10)}}, minutes(0));
  EXPECT_EQ(at(breaker, "u", "n", {"a0"}, minutes(1)), minutes(1));
  EXPECT_EQ(at(breaker, "u", "n", {"b0"}, minutes(1)), minutes(10));
}

TEST(CircuitBreaker, TenPodsOfOneNodeInTenMinutes) {
  CircuitBreaker breaker{{}};
  breaker.note("a", {{"n", pods('a', 4)}}, seconds(0));
  breaker.note("b", {{"n", pods('b', 4)}}, seconds(60));
  EXPECT_EQ(at(breaker, "c", "n", pods('x', 2), seconds(90)), seconds(90));
  EXPECT_EQ(at(breaker, "c", "n", pods('x', 3), seconds(90)), seconds(600));
  EXPECT_EQ(at(breaker, "c", "n", pods('x', 7), seconds(90)), seconds(660));
  EXPECT_EQ(at(breaker, "c", "m", pods('x', 9), seconds(90)), seconds(90));
}

TEST(CircuitBreaker, SaysWhichLimitHolds) {
  CircuitBreaker breaker{{}};
  breaker.note("a", {{"n", pods('a', 9)}}, seconds(0));
  const auto node = breaker.allowed_at("b", "n", pods('x', 2), seconds(1));
  ASSERT_TRUE(node);
  EXPECT_EQ(node->for_pod, seconds(1));
  EXPECT_EQ(node->for_node, seconds(600));
}

TEST(CircuitBreaker, ASetLargerThanTheLimitNeverGoes) {
  const CircuitBreaker breaker{{}};
  EXPECT_EQ(at(breaker, "a", "n", pods('x', 10), seconds(5)), seconds(5));
  EXPECT_EQ(at(breaker, "a", "n", pods('x', 11), seconds(5)), std::nullopt);
}

TEST(CircuitBreaker, WhatOthersOfUsRemovedCounts) {
  CircuitBreaker breaker{{}};
  // Two sets, reported victim by victim and twice, the later one first.
  for (int again = 0; again < 2; ++again) {
    breaker.saw("u", "n", "c", seconds(-60), seconds(0));
    breaker.saw("u", "n", "a", seconds(-302), seconds(0));
    breaker.saw("u", "n", "b", seconds(-300), seconds(0));
  }
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(0)), seconds(0));
  breaker.note("u", {{"n", pods('d', 1)}}, seconds(0));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1)), seconds(600 - 302))
      << "the oldest of three sets is over then";
  EXPECT_EQ(at(breaker, "v", "n", pods('x', 6), seconds(1)), seconds(1));
  EXPECT_EQ(at(breaker, "v", "n", pods('x', 7), seconds(1)), seconds(600 - 302));
}

TEST(CircuitBreaker, WhatIsOlderThanTheWindowDoesNotCount) {
  CircuitBreaker breaker{{.pods_per_node = 1}};
  breaker.saw("u", "n", "a", seconds(-600), seconds(0));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(0)), seconds(0));
}

TEST(CircuitBreaker, ForgetsOneAfterTheOther) {
  CircuitBreaker breaker{{.pods_per_node = 1}};
  breaker.note("u", {{"n", {"b"}}}, seconds(60));
  breaker.note("v", {{"n", {"c"}}}, seconds(120));
  breaker.saw("u", "n", "a", seconds(0), seconds(120));  // known last, and over first
  EXPECT_EQ(at(breaker, "w", "n", {"a"}, seconds(599)), seconds(599)) << "it was counted";
  breaker.advance(seconds(600));
  EXPECT_EQ(at(breaker, "w", "n", {"a"}, seconds(600)), seconds(720)) << "it would be another one";
  EXPECT_EQ(at(breaker, "w", "n", {"b"}, seconds(600)), seconds(600));
  breaker.advance(seconds(660));
  EXPECT_EQ(at(breaker, "w", "n", {"b"}, seconds(660)), seconds(720));
  breaker.take_back("n", "c");
  breaker.note("v", {{"n", {"d"}}}, seconds(700));
  breaker.advance(seconds(720));
  EXPECT_EQ(at(breaker, "w", "n", {"d"}, seconds(720)), seconds(720));
  breaker.advance(seconds(1300));
  EXPECT_EQ(at(breaker, "w", "n", {"d", "e"}, seconds(1300)), std::nullopt) << "two others";
}

TEST(CircuitBreaker, WhoDidNotGoBecauseOfUsDoesNotCount) {
  CircuitBreaker breaker{{.sets_per_pod = 1, .pods_per_node = 2}};
  breaker.note("u", {{"n", {"a", "b"}}}, seconds(0));
  breaker.take_back("n", "a");
  EXPECT_EQ(at(breaker, "v", "n", pods('x', 1), seconds(1)), seconds(1));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1)), seconds(600)) << "b went";
  breaker.take_back("n", "b");
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1)), seconds(1));
  breaker.take_back("n", "b");
  breaker.take_back("m", "b");
}

constexpr policy::Time kNoon{seconds(1'780'000'000)};

CountedSet counted(const std::string& preemptor, const std::vector<std::string>& victims,
                   seconds ago) {
  CountedSet set{.at = kNoon - ago, .preemptor = short_name(preemptor), .node = short_name("n")};
  for (const std::string& each : victims) set.victims.push_back(short_name(each));
  return set;
}

TEST(CircuitBreaker, WhatWasCountedBeforeCounts) {
  CircuitBreaker breaker{{}};
  breaker.load(
      {.sets = {counted("u", pods('a', 1), seconds(300)), counted("u", pods('b', 1), seconds(299)),
                counted("u", pods('c', 6), seconds(100))}},
      kNoon, seconds(1000));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1000)), seconds(1300 + 4))
      << "two processes may believe in times that are so far apart";
  EXPECT_EQ(at(breaker, "v", "n", pods('x', 2), seconds(1000)), seconds(1000));
  EXPECT_EQ(at(breaker, "v", "n", pods('x', 3), seconds(1000)), seconds(1304));
  EXPECT_EQ(at(breaker, "v", "m", pods('x', 10), seconds(1000)), seconds(1000));
  EXPECT_EQ(at(breaker, "u", "n", pods('c', 6), seconds(1000)), seconds(1000)) << "it was begun";
}

// A removal over many nodes is one entry for each of them.
TEST(CircuitBreaker, EntriesOfOneRemovalOnManyNodesAreOneSet) {
  CircuitBreaker breaker{{.sets_per_pod = 2}};
  CountedSet elsewhere = counted("u", pods('b', 2), seconds(300));
  elsewhere.node = short_name("m");
  breaker.load({.sets = {counted("u", pods('a', 1), seconds(300)), elsewhere}}, kNoon,
               seconds(1000));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1000)), seconds(1000));
  // On one node two entries of one time are two sets.
  breaker.load({.sets = {counted("w", pods('c', 1), seconds(300)),
                         counted("w", pods('d', 1), seconds(300))}},
               kNoon, seconds(1000));
  EXPECT_EQ(at(breaker, "w", "n", pods('x', 1), seconds(1000)), seconds(1304));
}

// Terminating pods are seen, too, before or after.
TEST(CircuitBreaker, WhatWasSeenAndCountedBeforeCountsOnce) {
  for (const bool seen_first : {true, false}) {
    CircuitBreaker breaker{{.sets_per_pod = 2, .pods_per_node = 3}};
    const auto see = [&] { breaker.saw("u", "n", "a1", seconds(995), seconds(1000)); };
    if (seen_first) see();
    breaker.load({.sets = {counted("u", pods('a', 2), seconds(6))}}, kNoon, seconds(1000));
    if (!seen_first) see();
    EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1000)), seconds(1000)) << seen_first;
    EXPECT_NE(at(breaker, "u", "n", pods('x', 2), seconds(1000)), seconds(1000));
  }
}

// Two sets within seconds, all of their pods terminating: what was seen alone would be one set.
TEST(CircuitBreaker, WhatWasCountedBeforeSaysWhichSetsThereWere) {
  CircuitBreaker breaker{{.sets_per_pod = 2}};
  breaker.saw("u", "n", "a0", seconds(990), seconds(1000));
  breaker.saw("u", "n", "b0", seconds(995), seconds(1000));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1000)), seconds(1000));
  for (int again = 0; again < 2; ++again) {
    breaker.load({.sets = {counted("u", {"a0"}, seconds(10)), counted("u", {"b0"}, seconds(5))}},
                 kNoon, seconds(1000));
    EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1000)), seconds(994 + 600));
  }
}

TEST(CircuitBreaker, WhereMoreMayHaveGoneThereIsOneMoreSet) {
  CircuitBreaker breaker{{}};
  breaker.saw("w", "n", "before", seconds(900), seconds(1000));
  breaker.load({.whole_since = kNoon - seconds(60)}, kNoon, seconds(1000));
  EXPECT_EQ(at(breaker, "u", "n", pods('a', 5), seconds(1000)), seconds(1000));
  breaker.note("u", {{"n", pods('a', 5)}}, seconds(1000));
  EXPECT_EQ(at(breaker, "u", "m", pods('b', 1), seconds(1001)), seconds(1540 + 4)) << "for the pod";
  EXPECT_EQ(at(breaker, "v", "n", pods('b', 1), seconds(1001)), seconds(1544)) << "for the node";
  EXPECT_EQ(at(breaker, "v", "m", pods('b', 1), seconds(1001)), seconds(1001));
  EXPECT_EQ(at(breaker, "u", "n", pods('a', 5), seconds(1001)), seconds(1001)) << "it was begun";
  EXPECT_EQ(at(breaker, "u", "n", pods('b', 1), seconds(1544)), seconds(1544));
}

// A clock that was set back makes nothing count for longer than the window.
TEST(CircuitBreaker, WhatWasCountedInTheFutureCountsAsNow) {
  CircuitBreaker breaker{{.sets_per_pod = 1}};
  breaker.load({.sets = {counted("u", pods('a', 1), seconds(-5000))}}, kNoon, seconds(1000));
  EXPECT_EQ(at(breaker, "u", "n", pods('x', 1), seconds(1000)), seconds(1600));
}

}  // namespace
}  // namespace elbowroom::scheduler
