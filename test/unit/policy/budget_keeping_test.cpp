#include "policy/ledger/budget_keeping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

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
using testing::IsEmpty;

Pod replica(const std::string& name, bool is_ready = true) {
  Pod pod = test::pod_of_size(name, 0, figures(1));
  pod.labels["app"] = "x";
  pod.conditions.push_back(condition(kReady, "", is_ready ? "True" : "False"));
  return pod;
}

// It goes, since `ago`.
Pod leaving(const std::string& name, seconds ago, const char* reason = "EvictionByEvictionAPI") {
  Pod pod = replica(name);
  pod.deletion = kNoon - ago + seconds(300);
  pod.deletion_grace_seconds = 300;
  if (*reason != '\0') pod.conditions.push_back(condition(kDisruptionTarget, reason));
  return pod;
}

DisruptionBudget budget() {
  DisruptionBudget made;
  made.ns = "default";
  made.name = "db";
  made.selector = LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  made.generation = 3;
  return made;
}
DisruptionBudget at_least(IntOrPercent pods) {
  DisruptionBudget made = budget();
  made.min_available = pods;
  return made;
}
DisruptionBudget at_rate(std::int64_t disruptions, seconds per, const Ledger& ledger = {}) {
  DisruptionBudget made = budget();
  made.rate_disruptions = disruptions;
  made.rate_per = per;
  made.recent = ledger;
  return made;
}

BudgetKeeping kept(const DisruptionBudget& of, const std::vector<Pod>& pods, Time now = kNoon) {
  return keeping_of(ledger_state(of, pods, now));
}
// As it is stored.
DisruptionBudget stored(DisruptionBudget of, const BudgetKeeping& made) {
  of.status = made.status;
  of.recent = made.ledger;
  return of;
}

const Condition& of_type(const BudgetKeeping& made, std::string_view type) {
  static const Condition kNone;
  const Condition* found = find_condition(made.status.conditions, type);
  return found != nullptr ? *found : kNone;
}

TEST(BudgetKeeping, CountsAndSaysWhatIsAllowed) {
  struct Row {
    const char* what;
    DisruptionBudget of;
    std::vector<Pod> pods;
    std::int64_t expected, healthy, desired, allowed;
    std::string_view reason;
  };
  DisruptionBudget percent = budget();
  percent.max_unavailable = IntOrPercent{34, true};
  DisruptionBudget promised = at_least({1});
  promised.recent = {{"a", replica("a").uid, kNoon - seconds(5), "evict"}};
  DisruptionBudget selects_none = at_least({1});
  selects_none.selector.reset();
  const Pod a = replica("a");
  const Pod b = replica("b");
  const Pod odd = replica("odd", false);
  Pod elsewhere = replica("other");
  elsewhere.labels["app"] = "y";
  const Row rows[] = {
      {"one more than must stay", at_least({1}), {a, b}, 2, 2, 1, 1, kReasonSufficientPods},
      {"not ready", at_least({1}), {a, odd}, 2, 1, 1, 0, kReasonInsufficientPods},
      {"others are not counted",
       at_least({1}),
       {a, elsewhere},
       1,
       1,
       1,
       0,
       kReasonInsufficientPods},
      {"rounded up", percent, {a, b, odd}, 3, 2, 1, 1, kReasonSufficientPods},
      {"debited, and not gone yet", promised, {a, b}, 2, 1, 1, 0, kReasonInsufficientPods},
      {"terminating",
       at_least({0}),
       {leaving("a", seconds(1), ""), b},
       2,
       1,
       0,
       1,
       kReasonSufficientPods},
      {"no selector", selects_none, {a}, 0, 0, 1, 0, kReasonInsufficientPods},
      {"a rate of none", at_rate(0, hours(1)), {a}, 1, 1, 0, 0, kReasonRateExhausted},
      {"neither: as many as can be entered", budget(), {a}, 1, 1, 0, 1'000, kReasonSufficientPods},
  };
  for (const Row& row : rows) {
    const BudgetKeeping made = kept(row.of, row.pods);
    EXPECT_EQ(made.status.expected_pods, row.expected) << row.what;
    EXPECT_EQ(made.status.current_healthy, row.healthy) << row.what;
    EXPECT_EQ(made.status.desired_healthy, row.desired) << row.what;
    EXPECT_EQ(made.status.disruptions_allowed, row.allowed) << row.what;
    EXPECT_EQ(made.status.observed_time, kNoon) << row.what;
    EXPECT_EQ(made.status.observed_generation, 3) << row.what;
    const Condition& is = of_type(made, kDisruptionAllowed);
    EXPECT_EQ(is.status, row.allowed > 0 ? "True" : "False") << row.what;
    EXPECT_EQ(is.reason, row.reason) << row.what;
    EXPECT_EQ(is.observed_generation, 3) << row.what;
    EXPECT_EQ(of_type(made, kBudgetObserved).status, "True") << row.what;
    EXPECT_EQ(made.is_due, true) << row.what;
  }
  EXPECT_EQ(of_type(kept(selects_none, {}), kBudgetObserved).reason, kReasonNoSelector);
}

TEST(BudgetKeeping, TheRateSaysWhenTheNextIsAllowed) {
  const Ledger ledger = {{"x", "u-x", kNoon - minutes(40), "a"},
                         {"y", "u-y", kNoon - minutes(10), "a"}};
  const BudgetKeeping full = kept(at_rate(2, hours(1), ledger), {replica("a")});
  EXPECT_EQ(full.status.disruptions_allowed, 0);
  EXPECT_EQ(full.status.next_allowed_time, kNoon + minutes(20));
  EXPECT_EQ(of_type(full, kDisruptionAllowed).reason, kReasonRateExhausted);
  EXPECT_EQ(full.look_again, kNoon + minutes(20));
  const BudgetKeeping one = kept(at_rate(3, hours(1), ledger), {replica("a")});
  EXPECT_EQ(one.status.disruptions_allowed, 1);
  EXPECT_EQ(one.status.next_allowed_time, std::nullopt) << "one is allowed now";
}

TEST(BudgetKeeping, APodThatGoesDisruptedIsEnteredOnce) {
  const DisruptionBudget of = at_rate(5, hours(1));
  const Pod pod = leaving("a", seconds(7));
  const BudgetKeeping made = kept(of, {pod});
  EXPECT_THAT(made.ledger,
              ElementsAre(LedgerEntry{"a", pod.uid, kNoon - seconds(7), "EvictionByEvictionAPI"}));
  EXPECT_EQ(made.entered, 1U);
  EXPECT_EQ(made.status.disruptions_allowed, 4);
  const BudgetKeeping again = kept(stored(of, made), {pod}, kNoon + seconds(1));
  EXPECT_EQ(again.ledger, made.ledger);
  EXPECT_EQ(again.entered, 0U);
  EXPECT_FALSE(again.is_due);
}

TEST(BudgetKeeping, APodThatWasNotReadyBeforeItTerminatedIsNotEnteredWhereTheBudgetSparesIt) {
  const auto unready = [](seconds ago) {
    Pod pod = leaving("a", seconds(7));
    Condition* ready = &pod.conditions.front();
    ready->status = "False";
    ready->last_transition = kNoon - ago;
    return pod;
  };
  DisruptionBudget of = at_rate(5, hours(1));
  of.min_available = IntOrPercent{1};
  const std::vector<Pod> before = {unready(seconds(60)), replica("b")};
  EXPECT_THAT(kept(of, before).ledger, IsEmpty());
  EXPECT_EQ(kept(of, {unready(seconds(3)), replica("b")}).entered, 1U)
      << "it was Ready until it terminated";
  EXPECT_EQ(kept(of, {unready(seconds(60))}).entered, 1U) << "too few are healthy";
  of.unhealthy = UnhealthyPodEviction::AlwaysAllow;
  EXPECT_EQ(kept(of, {unready(seconds(60))}).entered, 0U);
}

TEST(BudgetKeeping, TwoPodsOfOneUidThatGoAreOneEntry) {
  Pod twin = leaving("b", seconds(1));
  twin.uid = replica("a").uid;
  EXPECT_THAT(kept(at_rate(5, hours(1)), {leaving("a", seconds(1)), twin}).ledger,
              ElementsAre(testing::Field(&LedgerEntry::pod, "a")));
}

TEST(BudgetKeeping, WhatIsNotEntered) {
  Pod finished = leaving("a", seconds(1));
  finished.phase = Phase::Succeeded;
  Pod marked = replica("b");
  marked.conditions.push_back(condition(kDisruptionTarget, "PreemptionByScheduler"));
  Pod other = leaving("c", seconds(1));
  other.labels.clear();
  const std::vector<Pod> pods = {finished, marked, other, leaving("d", seconds(1), ""),
                                 leaving("e", minutes(61))};
  EXPECT_THAT(kept(at_rate(5, hours(1)), pods).ledger, IsEmpty());
  EXPECT_THAT(kept(at_least({0}), {leaving("a", minutes(3))}).ledger, IsEmpty())
      << "without a rate an entry counts two minutes";
}

TEST(BudgetKeeping, ADebitedPodThatGoesKeepsItsEntry) {
  const Pod pod = leaving("a", seconds(1));
  const Ledger ours = {{"a", pod.uid, kNoon - seconds(3), "elbowroom-scheduler"}};
  EXPECT_EQ(kept(at_rate(5, hours(1), ours), {pod}).ledger, ours);
}

TEST(BudgetKeeping, AFullLedgerTakesNoMore) {
  Ledger ledger;
  for (std::size_t i = 0; i < kMostLedgerEntries; ++i) {
    ledger.push_back({"p", "u-" + std::to_string(i), kNoon - seconds(1), "a"});
  }
  const BudgetKeeping made = kept(at_rate(1'000, hours(1), ledger), {leaving("a", seconds(1))});
  EXPECT_EQ(made.ledger, ledger);
  EXPECT_EQ(made.status.disruptions_allowed, 0);
  EXPECT_EQ(of_type(made, kDisruptionAllowed).reason, kReasonLedgerFull);
}

TEST(BudgetKeeping, ADebitWhosePodLivesIsRefundedAfterTwoMinutes) {
  const Pod pod = replica("a");
  const DisruptionBudget of = at_rate(1, hours(1), {{"a", pod.uid, kNoon - seconds(119), "evict"}});
  const BudgetKeeping before = kept(of, {pod});
  EXPECT_EQ(before.refunded, 0U);
  EXPECT_EQ(before.look_again, kNoon + seconds(1));
  const BudgetKeeping after = kept(of, {pod}, kNoon + seconds(1));
  EXPECT_EQ(after.refunded, 1U);
  EXPECT_THAT(after.ledger, IsEmpty());
  EXPECT_EQ(after.status.disruptions_allowed, 1);
}

TEST(BudgetKeeping, EntriesThatBecomeOldAreNoRefunds) {
  const Ledger ledger = {{"x", "u-x", kNoon - hours(2), "a"},
                         {"y", "u-y", kNoon - minutes(1), "a"},
                         {"y", "u-y", kNoon - minutes(1), "b"}};
  const BudgetKeeping made = kept(at_rate(5, hours(1), ledger), {replica("a")});
  EXPECT_THAT(made.ledger, ElementsAre(ledger[1])) << "old, and one uid twice";
  EXPECT_EQ(made.refunded, 0U);
}

// It was debited long before it began to go.
TEST(BudgetKeeping, AnEntryStaysAsLongAsItsPodGoesAndIsNotMadeAgain) {
  const Pod pod = leaving("a", minutes(40));
  const Ledger ledger = {{"a", pod.uid, kNoon - minutes(65), "evict"}};
  const BudgetKeeping made = kept(at_rate(2, hours(1), ledger), {pod});
  EXPECT_EQ(made.ledger, ledger);
  EXPECT_EQ(made.status.disruptions_allowed, 2);
  EXPECT_EQ(made.entered, 0U);
  EXPECT_THAT(kept(at_rate(2, hours(1), ledger), {}).ledger, IsEmpty());
}

// The server's clock is read now and then only.
TEST(BudgetKeeping, AnEntryIsDroppedAMinuteAfterItCountsNoMore) {
  const Ledger ledger = {{"x", "u-x", kNoon - hours(1) + seconds(1), "a"}};
  const DisruptionBudget of = at_rate(1, hours(1), ledger);
  const std::vector<Pod> pods = {replica("a")};
  EXPECT_EQ(kept(of, pods).status.disruptions_allowed, 0);
  const BudgetKeeping after = kept(of, pods, kNoon + seconds(1));
  EXPECT_EQ(after.status.disruptions_allowed, 1) << "it counts no more";
  EXPECT_EQ(after.ledger, ledger) << "and stays";
  EXPECT_EQ(after.look_again, kNoon + seconds(61));
  EXPECT_THAT(kept(of, pods, kNoon + seconds(61)).ledger, IsEmpty());
}

TEST(BudgetKeeping, OnlyAChangeIsWrittenAndAHardOneIsRenewed) {
  DisruptionBudget of = at_least({1});
  const std::vector<Pod> pods = {replica("a"), replica("b")};
  of = stored(of, kept(of, pods));
  EXPECT_FALSE(kept(of, pods, kNoon + hours(5)).is_due);
  EXPECT_EQ(kept(of, pods, kNoon + hours(5)).look_again, std::nullopt);
  EXPECT_TRUE(kept(of, {pods[0]}, kNoon + seconds(1)).is_due);
  of.hard = true;
  EXPECT_FALSE(kept(of, pods, kNoon + seconds(299)).is_due);
  EXPECT_EQ(kept(of, pods, kNoon + seconds(299)).look_again, kNoon + minutes(5));
  EXPECT_TRUE(kept(of, pods, kNoon + minutes(5)).is_due);
  EXPECT_EQ(kept(of, pods, kNoon + minutes(5)).look_again, kNoon + minutes(10));
  EXPECT_FALSE(kept(of, pods, kNoon - seconds(59)).is_due);
  EXPECT_TRUE(kept(of, pods, kNoon - minutes(2)).is_due) << "nobody's clock";
  of.generation = 4;
  EXPECT_TRUE(kept(of, pods).is_due);
}

TEST(BudgetKeeping, ATransitionTimeMovesWithItsStatusOnly) {
  DisruptionBudget of = at_least({1});
  of.status.conditions.push_back(
      {.type = "Other", .status = "True", .reason = "Mine", .last_transition = kNoon});
  of = stored(of, kept(of, {replica("a")}));
  EXPECT_EQ(of.status.conditions.size(), 3U) << "other writers' conditions stay";
  of.generation = 4;
  const BudgetKeeping same = kept(of, {replica("a")}, kNoon + seconds(9));
  EXPECT_EQ(of_type(same, kDisruptionAllowed).last_transition, kNoon);
  EXPECT_EQ(of_type(same, kDisruptionAllowed).observed_generation, 4);
  const BudgetKeeping other = kept(of, {replica("a"), replica("b")}, kNoon + seconds(9));
  EXPECT_EQ(of_type(other, kDisruptionAllowed).last_transition, kNoon + seconds(9));
  EXPECT_EQ(of_type(other, kBudgetObserved).last_transition, kNoon);
}

}  // namespace
}  // namespace elbowroom::policy
