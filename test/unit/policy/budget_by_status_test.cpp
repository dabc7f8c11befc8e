// What a hard budget allows to a program that sees the pods of one node only.
#include "policy/ledger/budget_by_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/preemption/budget_charge.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using test::kNoon;
using testing::ElementsAre;

DisruptionBudget hard_budget(std::int64_t allowed) {
  DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "db";
  budget.selector = LabelSelector{};
  budget.max_unavailable = IntOrPercent{5};
  budget.hard = true;
  budget.generation = 3;
  budget.status = {
      .disruptions_allowed = allowed, .observed_time = kNoon, .observed_generation = 3};
  return budget;
}

LedgerEntry entry(const std::string& uid, Time time) {
  return {.pod = uid, .uid = uid, .time = time, .by = "a"};
}

TEST(BudgetByStatus, AllowsWhatTheStatusDoesLessWhatWasDebitedSince) {
  DisruptionBudget budget = hard_budget(3);
  EXPECT_EQ(allowed_by_status(budget, kNoon + minutes(1)), 3);
  budget.recent = {entry("before", kNoon - seconds(1)), entry("with", kNoon),
                   entry("after", kNoon + seconds(1))};
  EXPECT_EQ(allowed_by_status(budget, kNoon + minutes(1)), 1);
  budget.recent.resize(2);
  EXPECT_EQ(allowed_by_status(budget, kNoon + minutes(1)), 2);
  budget.status.disruptions_allowed = 0;
  EXPECT_EQ(allowed_by_status(budget, kNoon + minutes(1)), 0);
}

TEST(BudgetByStatus, AnOldStatusAllowsNothing) {
  DisruptionBudget budget = hard_budget(3);
  EXPECT_EQ(allowed_by_status(budget, kNoon + minutes(10)), 3);
  EXPECT_EQ(allowed_by_status(budget, kNoon + minutes(10) + seconds(1)), 0);
  EXPECT_EQ(allowed_by_status(budget, kNoon - minutes(10) - seconds(1)), 0) << "from the future";
  budget.generation = 4;
  EXPECT_EQ(allowed_by_status(budget, kNoon), 0) << "the spec has changed since";
  budget = hard_budget(3);
  budget.status.observed_time.reset();
  EXPECT_EQ(allowed_by_status(budget, kNoon), 0) << "nobody keeps it";
}

TEST(BudgetByStatus, AWallSparesUnhealthyPodsWhereTheStatusSaysSo) {
  struct Row {
    const char* what;
    UnhealthyPodEviction policy;
    std::int64_t healthy;
    std::int64_t desired;
    minutes age;
    bool is_entered;
    bool spares;
  };
  using enum UnhealthyPodEviction;
  for (const Row& row : {
           Row{"as many as desired", IfHealthyBudget, 2, 2, minutes(1), false, true},
           Row{"fewer", IfHealthyBudget, 1, 2, minutes(1), false, false},
           Row{"none desired", IfHealthyBudget, 1, 0, minutes(1), false, false},
           Row{"an old status", IfHealthyBudget, 2, 2, minutes(11), false, false},
           Row{"one entered since", IfHealthyBudget, 2, 2, minutes(1), true, false},
           Row{"always", AlwaysAllow, 0, 2, minutes(11), false, true},
           Row{"unknown", Unknown, 2, 2, minutes(1), false, false},
       }) {
    DisruptionBudget budget = hard_budget(0);
    budget.unhealthy = row.policy;
    budget.status.current_healthy = row.healthy;
    budget.status.desired_healthy = row.desired;
    if (row.is_entered) budget.recent = {entry("a", kNoon)};
    const Time now = kNoon + row.age;
    std::vector<Pod> pods = {test::pod_of_size("up", 0, test::figures(1)),
                             test::pod_of_size("crashes", 0, test::figures(1))};
    pods[0].conditions.push_back(test::condition(kReady, "", "True"));
    pods[1].conditions.push_back(test::condition(kReady, "", "False"));
    const Budgets walls{.ours = {wall_of(budget, now)}};
    const auto by = forbidding_budgets({&pods[0], &pods[1]}, walls, now);
    EXPECT_NE(by[0], nullptr) << row.what;
    EXPECT_EQ(by[1] == nullptr, row.spares) << row.what;
  }
}

// The status may say less than the pods of the node would make believe, and more.
TEST(BudgetByStatus, AWallAllowsThatWhateverThePodsAre) {
  Pod a = test::pod_of_size("a", 0, test::figures(1));
  Pod b = test::pod_of_size("b", 0, test::figures(1));
  Pod c = test::pod_of_size("c", 0, test::figures(1));
  const auto forbidden = [&](const DisruptionBudget& budget, Time now) {
    const Budgets budgets{.ours = {wall_of(budget, now)}};
    std::vector<bool> made;
    for (const auto* each :
         forbidding_budgets({Unit<Pod>(&a), Unit<Pod>(&b), Unit<Pod>(&c)}, budgets, now)) {
      made.push_back(each != nullptr);
    }
    return made;
  };
  DisruptionBudget budget = hard_budget(1);
  EXPECT_THAT(forbidden(budget, kNoon), ElementsAre(true, true, false));
  budget.status.disruptions_allowed = 9;
  EXPECT_THAT(forbidden(budget, kNoon), ElementsAre(false, false, false));
  budget.status.disruptions_allowed = 0;
  EXPECT_THAT(forbidden(budget, kNoon), ElementsAre(true, true, true));
  budget.recent = {entry(b.uid, kNoon)};
  EXPECT_THAT(forbidden(budget, kNoon + seconds(5)), ElementsAre(true, false, true))
      << "what is debited already may go";
  EXPECT_THAT(forbidden(budget, kNoon + minutes(2)), ElementsAre(true, true, true))
      << "it was not removed in time";
  budget.rate_disruptions = 5;
  budget.rate_per = hours(1);
  budget.recent = {entry("gone", kNoon - minutes(30))};
  budget.status.disruptions_allowed = 1;
  EXPECT_THAT(forbidden(budget, kNoon), ElementsAre(true, true, false));
}

}  // namespace
}  // namespace elbowroom::policy
