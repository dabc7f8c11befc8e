#include "policy/ledger/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using test::condition;
using test::figures;
using test::kNoon;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

Pod replica(const std::string& name, bool is_ready = true) {
  Pod pod = test::pod_of_size(name, 0, figures(1));
  pod.labels["app"] = "x";
  pod.conditions.push_back(condition(kReady, "", is_ready ? "True" : "False"));
  return pod;
}

DisruptionBudget budget_of(std::int64_t min_available) {
  DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "db";
  budget.selector = LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  budget.min_available = IntOrPercent{min_available};
  return budget;
}

LedgerEntry entry(const Pod& pod, Time time) {
  return {.pod = pod.name, .uid = pod.uid, .time = time, .by = "a"};
}

// The state refers to it, until the next call.
const DisruptionBudget& with(const DisruptionBudget& budget, const Ledger& ledger) {
  static DisruptionBudget kept;
  kept = budget;
  kept.recent = ledger;
  return kept;
}

TEST(Ledger, AVictimIsEnteredWithTheTimeAndTheProgram) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c")};
  const DisruptionBudget budget = budget_of(2);
  const Ledger empty;
  const Debit made =
      debit(ledger_state(with(budget, empty), pods, kNoon), {{pods[1]}}, "elbowroom");
  EXPECT_TRUE(made.is_allowed);
  EXPECT_EQ(made.allowed, 1);
  EXPECT_THAT(made.ledger, ElementsAre(LedgerEntry{
                               .pod = "b", .uid = pods[1].uid, .time = kNoon, .by = "elbowroom"}));
}

TEST(Ledger, AnUnhealthyVictimThatTheBudgetSparesIsNeitherChargedNorEntered) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c"), replica("d", false)};
  const std::vector<Pod> both = {pods[0], pods[3]};
  const Ledger empty;
  const auto made_of = [&](std::int64_t min, std::span<const Pod> victims, const Ledger& ledger) {
    return debit(ledger_state(with(budget_of(min), ledger), pods, kNoon), victims, "elbowroom");
  };
  const Debit alone = made_of(3, {{pods[3]}}, empty);
  EXPECT_TRUE(alone.is_allowed);
  EXPECT_EQ(alone.charged, 0U);
  EXPECT_THAT(alone.ledger, IsEmpty());
  const Debit with_one = made_of(2, both, empty);
  EXPECT_TRUE(with_one.is_allowed);
  EXPECT_THAT(with_one.ledger, ElementsAre(Field(&LedgerEntry::uid, pods[0].uid)));
  EXPECT_FALSE(made_of(4, {{pods[3]}}, empty).is_allowed) << "fewer are healthy than desired";
  EXPECT_FALSE(made_of(3, {{pods[3]}}, {entry(pods[0], kNoon)}).is_allowed)
      << "one of the healthy is about to be removed";
  EXPECT_THAT(
      debit_regardless(ledger_state(with(budget_of(3), empty), pods, kNoon), both, "a").ledger,
      SizeIs(1));
}

TEST(Ledger, AllVictimsOrNone) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c")};
  const DisruptionBudget budget = budget_of(2);
  const Ledger empty;
  const Debit made = debit(ledger_state(with(budget, empty), pods, kNoon), pods, "elbowroom");
  EXPECT_FALSE(made.is_allowed);
  EXPECT_THAT(made.ledger, IsEmpty());
  EXPECT_EQ(made.next, std::nullopt) << "time changes nothing";
}

// A removal later than `per` is another one to the rate.
TEST(Ledger, AnEntryThatTheRateCountsNoMoreIsChargedAgain) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c")};
  DisruptionBudget budget = budget_of(0);
  budget.rate_disruptions = 1;
  budget.rate_per = seconds(20);
  const Ledger before = {entry(pods[0], kNoon - seconds(25))};
  const LedgerState state = ledger_state(with(budget, before), pods, kNoon);
  EXPECT_FALSE(debit(state, {pods.data(), 2}, "a").is_allowed);
  const Debit alone = debit(state, {pods.data(), 1}, "a");
  EXPECT_TRUE(alone.is_allowed);
  EXPECT_THAT(alone.ledger, ElementsAre(entry(pods[0], kNoon)));
  const Debit other =
      debit(ledger_state(with(budget, alone.ledger), pods, kNoon), {pods.data() + 1, 1}, "a");
  EXPECT_FALSE(other.is_allowed);
}

// The other program has written, and has not deleted yet.
TEST(Ledger, WhatAnotherProgramDebitedCountsAsGone) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c")};
  const DisruptionBudget budget = budget_of(2);
  const Ledger other = {entry(pods[0], kNoon - seconds(1))};
  EXPECT_FALSE(debit(ledger_state(with(budget, other), pods, kNoon), {{pods[1]}}, "b").is_allowed);
  // It is terminating by now: it does not count twice.
  std::vector<Pod> later = pods;
  later[0].deletion = kNoon + seconds(30);
  EXPECT_FALSE(debit(ledger_state(with(budget, other), later, kNoon), {{pods[1]}}, "b").is_allowed);
  later.push_back(replica("d"));
  EXPECT_TRUE(debit(ledger_state(with(budget, other), later, kNoon), {{pods[1]}}, "b").is_allowed);
}

TEST(Ledger, AUidIsDebitedOnce) {
  const std::vector<Pod> pods = {replica("a"), replica("b")};
  const DisruptionBudget budget = budget_of(1);
  const Ledger ours = {entry(pods[0], kNoon - seconds(1))};
  const Debit again = debit(ledger_state(with(budget, ours), pods, kNoon), {{pods[0]}}, "a");
  EXPECT_TRUE(again.is_allowed) << "a successor goes on";
  EXPECT_EQ(again.ledger, ours);
  const Debit taken = debit(ledger_state(with(budget, ours), pods, kNoon), {{pods[0]}}, "b");
  EXPECT_TRUE(taken.is_allowed);
  EXPECT_THAT(taken.ledger,
              ElementsAre(LedgerEntry{.pod = "a", .uid = pods[0].uid, .time = kNoon, .by = "b"}));
}

TEST(Ledger, APodThatIsNotCoveredIsNotEntered) {
  std::vector<Pod> pods = {replica("a")};
  pods[0].labels.clear();
  const DisruptionBudget budget = budget_of(1);
  const Ledger empty;
  const Debit made = debit(ledger_state(with(budget, empty), pods, kNoon), pods, "b");
  EXPECT_TRUE(made.is_allowed);
  EXPECT_THAT(made.ledger, IsEmpty());
}

TEST(Ledger, TheRateSaysWhenItAllowsTheNext) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c")};
  DisruptionBudget budget = budget_of(0);
  budget.rate_disruptions = 2;
  budget.rate_per = hours(1);
  const Ledger ledger = {{"x", "gone-1", kNoon - minutes(50), ""},
                         {"y", "gone-2", kNoon - minutes(30), ""}};
  const Debit refused = debit(ledger_state(with(budget, ledger), pods, kNoon), {{pods[0]}}, "b");
  EXPECT_FALSE(refused.is_allowed);
  EXPECT_EQ(refused.next, kNoon + minutes(10));
  EXPECT_FALSE(debit(ledger_state(with(budget, ledger), pods, kNoon + minutes(10) - seconds(1)),
                     {{pods[0]}}, "b")
                   .is_allowed);
  const Debit allowed =
      debit(ledger_state(with(budget, ledger), pods, kNoon + minutes(10)), {{pods[0]}}, "b");
  EXPECT_TRUE(allowed.is_allowed);
  EXPECT_THAT(allowed.ledger, SizeIs(2)) << "the entry that is older than an hour is dropped";
  const Debit two = debit(ledger_state(with(budget, ledger), pods, kNoon),
                          {std::vector<Pod>{pods[0], pods[1]}}, "b");
  EXPECT_EQ(two.next, kNoon + minutes(30));
  const Debit three = debit(ledger_state(with(budget, ledger), pods, kNoon), pods, "b");
  EXPECT_EQ(three.next, std::nullopt) << "never so many at once";
}

TEST(Ledger, AnEntryWhosePodLivesOnIsRefunded) {
  std::vector<Pod> pods = {replica("a"), replica("b")};
  DisruptionBudget budget = budget_of(0);
  budget.rate_disruptions = 1;
  budget.rate_per = hours(1);
  const Ledger ledger = {entry(pods[0], kNoon)};
  const auto kept = [&](Time now) {
    return current_entries(ledger_state(with(budget, ledger), pods, now)).size();
  };
  EXPECT_EQ(kept(kNoon + minutes(2) - seconds(1)), 1U);
  EXPECT_EQ(kept(kNoon + minutes(2)), 0U);
  pods[0].conditions.push_back(condition(kDisruptionTarget, "PreemptionByScheduler", "True"));
  EXPECT_EQ(kept(kNoon + minutes(2)), 1U) << "it is marked";
  pods[0].conditions.pop_back();
  pods[0].deletion = kNoon + hours(3);
  EXPECT_EQ(kept(kNoon + minutes(2)), 1U) << "it terminates";
  pods.erase(pods.begin());
  EXPECT_EQ(kept(kNoon + minutes(2)), 1U) << "it is gone";
  EXPECT_EQ(kept(kNoon + hours(1)), 0U);
}

// Written by a user.
TEST(Ledger, StrangeEntriesNeverAllowMore) {
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c")};
  DisruptionBudget budget = budget_of(0);
  budget.rate_disruptions = 2;
  budget.rate_per = minutes(1);
  const Ledger twice = {{"x", "u", kNoon, ""}, {"x", "u", kNoon, ""}};
  const Debit once = debit(ledger_state(with(budget, twice), pods, kNoon), {{pods[0]}}, "b");
  EXPECT_TRUE(once.is_allowed);
  EXPECT_THAT(once.ledger, SizeIs(2)) << "one entry for each uid";
  const Ledger ahead = {{"x", "u", kNoon + hours(9), ""}, {"y", "v", kNoon + hours(9), ""}};
  EXPECT_FALSE(debit(ledger_state(with(budget, ahead), pods, kNoon), {{pods[0]}}, "b").is_allowed);
  Ledger full;
  for (std::size_t i = 0; i < kMostLedgerEntries; ++i) {
    full.push_back({"x", "u" + std::to_string(i), kNoon, ""});
  }
  budget.rate_disruptions = 5'000;
  EXPECT_FALSE(debit(ledger_state(with(budget, full), pods, kNoon), {{pods[0]}}, "b").is_allowed);
  full.front().time = kNoon - hours(1);
  EXPECT_TRUE(debit(ledger_state(with(budget, full), pods, kNoon), {{pods[0]}}, "b").is_allowed);
}

TEST(Ledger, ARefundTakesOneUidOut) {
  const Ledger ledger = {{"x", "u", kNoon, "b"}, {"y", "v", kNoon, "b"}};
  EXPECT_THAT(refunded(ledger, "u", "b"), ElementsAre(Field(&LedgerEntry::uid, "v")));
  EXPECT_EQ(refunded(ledger, "u", "c"), ledger) << "it is another program's by now";
  EXPECT_EQ(refunded(ledger, "w", "b"), ledger);
}

// The cluster as it was at a time.
struct View {
  Time time{};
  std::vector<Pod> pods{};
};

// Programs that debit one after the other, and see pods as they were up to a minute ago: at no
// moment are fewer than minAvailable ready, nor more than the rate gone.
void play(std::mt19937& random, int number) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  std::vector<Pod> pods;
  const std::size_t count = 2 + below(8);
  for (std::size_t i = 0; i < count; ++i) pods.push_back(replica("p" + std::to_string(i)));
  const auto min_available = static_cast<std::int64_t>(below(count + 1));
  DisruptionBudget budget = budget_of(min_available);
  budget.rate_disruptions = static_cast<std::int64_t>(1 + below(4));
  budget.rate_per = minutes(10);
  Ledger ledger;
  Time now = kNoon;
  std::vector<View> views = {{now, pods}};
  std::vector<Time> went;
  for (int step = 0; step < 60; ++step) {
    now += seconds(below(100));
    const auto old = [&](const View& each) {
      return each.time < now - minutes(1) && &each != &views.back();
    };
    while (old(views.front())) views.erase(views.begin());
    const std::vector<Pod> seen = views[below(views.size())].pods;
    if (seen.empty()) continue;
    const Pod victim = seen[below(seen.size())];
    const Debit made = debit(ledger_state(with(budget, ledger), seen, now), {{victim}}, "p");
    if (!made.is_allowed || std::ranges::count(pods, victim.uid, &Pod::uid) == 0) continue;
    ledger = made.ledger;
    std::erase_if(pods, [&](const Pod& each) { return each.uid == victim.uid; });
    views.push_back({now, pods});
    went.push_back(now);
    ASSERT_GE(static_cast<std::int64_t>(pods.size()), min_available) << number;
    const auto lately =
        std::ranges::count_if(went, [&](Time each) { return now - each < minutes(10); });
    ASSERT_LE(lately, *budget.rate_disruptions) << number;
  }
}

TEST(Ledger, ManyProgramsNeverGoBelowTheBudget) {
  std::mt19937 random(7);
  for (int number = 0; number < 1'000; ++number) ASSERT_NO_FATAL_FAILURE(play(random, number));
}

TEST(Ledger, EntersWhatIsNotThereYetAndDropsTheOldest) {
  const Pod a = replica("a");
  const Ledger there = {entry(a, kNoon)};
  EXPECT_EQ(entered(there, {{entry(a, kNoon + seconds(9))}}), there);
  EXPECT_THAT(entered(there, {{entry(replica("b"), kNoon)}}), SizeIs(2));
  Ledger full;
  for (std::size_t i = 0; i < kMostLedgerEntries; ++i) {
    full.push_back(entry(replica("p" + std::to_string(i)), kNoon + seconds(i)));
  }
  const Ledger made = entered(full, {{entry(a, kNoon + hours(1))}});
  EXPECT_THAT(made, SizeIs(kMostLedgerEntries));
  EXPECT_EQ(made.back().pod, "a");
  EXPECT_EQ(made.front().pod, "p1");
}

}  // namespace
}  // namespace elbowroom::policy
