#include "policy/preemption/budget_charge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using test::condition;
using test::figures;
using test::kNoon;
using testing::ElementsAre;

Pod replica(const std::string& name, bool is_ready = true) {
  Pod pod = test::pod_of_size(name, 0, figures(1));
  pod.labels["app"] = "x";
  pod.conditions.push_back(condition(kReady, "", is_ready ? "True" : "False"));
  return pod;
}

LabelSelector selects(const std::string& key, const std::string& value) {
  return {.match_labels = {{key, value}}, .expressions = {}};
}

DisruptionBudget ours() {
  DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "ours";
  budget.selector = selects("app", "x");
  return budget;
}

PodDisruptionBudget upstream(const std::string& name, std::int64_t allowed) {
  PodDisruptionBudget budget;
  budget.ns = "default";
  budget.name = name;
  budget.selector = selects("app", "x");
  budget.disruptions_allowed = allowed;
  return budget;
}

std::vector<Pod> five_of_which_four_are_ready() {
  std::vector<Pod> pods = {replica("a"), replica("b"), replica("c"), replica("d"),
                           replica("e", false)};
  pods.push_back(replica("pending"));
  pods.back().node = "";
  pods.push_back(replica("finished"));
  pods.back().phase = Phase::Succeeded;
  pods.push_back(replica("elsewhere"));
  pods.back().ns = "other";
  return pods;
}

// Pods of each unit that violate a budget of either kind.
std::vector<std::int32_t> counted_violations(const std::vector<Unit<Pod>>& victims,
                                             const Budgets& budgets, RuleSet rules, Time now) {
  std::vector<std::int32_t> counts;
  for (const Violations& each : violating(victims, budgets, rules, now)) counts.push_back(each.any);
  return counts;
}

TEST(AllowedNow, IsTheSameByPodsAndByTheirCount) {
  DisruptionBudget budget = ours();
  budget.min_available = IntOrPercent{2};
  const std::vector<Pod> pods = five_of_which_four_are_ready();
  EXPECT_EQ(strength_of(budget, pods), (Strength{5, 4, 1}));
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 2);
  EXPECT_EQ(allowed_now(budget, Strength{5, 4, 1}, kNoon), 2);
  // Where they were counted, the pods are not looked at.
  const Budgets counted{.ours = {budget}, .strengths = {{5, 2}}};
  DisruptionBudget hard = budget;
  hard.hard = true;
  const Budgets forbidden{.ours = {hard}, .strengths = {{5, 2}}};
  EXPECT_THAT(counted_violations({&pods[0]}, counted, RuleSet::Elbowroom, kNoon),
              ElementsAre(true));
  EXPECT_EQ(forbidding_budgets({&pods[0]}, forbidden, kNoon)[0]->name, "ours");
}

TEST(NextAllowedTime, IsWhenTheFirstDisruptionOfAHardBudgetIsForgotten) {
  Budgets budgets{.ours = {ours(), ours()}};
  for (DisruptionBudget& each : budgets.ours) {
    each.rate_disruptions = 1;
    each.rate_per = hours(1);
  }
  budgets.ours[0].recent = {{"a", "a", kNoon - minutes(50)}};
  EXPECT_EQ(next_allowed_time(budgets, kNoon), std::nullopt) << "not hard";
  budgets.ours[1].hard = true;
  budgets.ours[1].recent = {{"a", "a", kNoon - minutes(70)}, {"b", "b", kNoon - minutes(20)}};
  EXPECT_EQ(next_allowed_time(budgets, kNoon), kNoon + minutes(40));
  EXPECT_EQ(next_allowed_time(budgets, kNoon + minutes(40)), std::nullopt);
}

TEST(AllowedNow, StrengthLeavesMinAvailable) {
  DisruptionBudget budget = ours();
  const std::vector<Pod> pods = five_of_which_four_are_ready();
  budget.min_available = IntOrPercent{3};
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 1);
  budget.min_available = IntOrPercent{34, true};  // 2.04 of 6: 3
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 1);
  budget.min_available = IntOrPercent{5};
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 0);
}

TEST(AllowedNow, StrengthToleratesMaxUnavailable) {
  DisruptionBudget budget = ours();
  std::vector<Pod> pods = five_of_which_four_are_ready();
  budget.max_unavailable = IntOrPercent{4};
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 2);
  budget.max_unavailable = IntOrPercent{51, true};  // 3.06 of 6: 4
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 2);
  pods[0] = test::terminating(pods[0], 10);
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 1);
}

// As policy/v1 counts: a replica that waits for a node is unavailable, and part of the whole.
TEST(AllowedNow, PercentagesAndMaxUnavailableCountThePodsThatWaitForANode) {
  struct Row {
    const char* what;
    std::optional<IntOrPercent> min;
    std::optional<IntOrPercent> max;
    std::int64_t desired;
    std::int64_t allowed;
  };
  std::vector<Pod> pods = {replica("a"), replica("b"), replica("c"), replica("d"), replica("e")};
  pods[4].node = "";
  for (const Row& row : {
           Row{"60 % of five", IntOrPercent{60, true}, {}, 3, 1},
           Row{"80 % of five", IntOrPercent{80, true}, {}, 4, 0},
           Row{"one may be missing, and is", {}, IntOrPercent{1}, 4, 0},
           Row{"40 % of five may be missing", {}, IntOrPercent{40, true}, 3, 1},
           Row{"a count is a count", IntOrPercent{3}, {}, 3, 1},
       }) {
    DisruptionBudget budget = ours();
    budget.min_available = row.min;
    budget.max_unavailable = row.max;
    EXPECT_EQ(allowed_now(budget, pods, kNoon), row.allowed) << row.what;
    EXPECT_EQ(desired_healthy(budget, strength_of(budget, pods).expected()), row.desired)
        << row.what;
  }
}

// Source: kubernetes pkg/registry/core/pod/storage/eviction.go.
TEST(UnhealthyPods, AreSparedByThePolicyOfTheBudget) {
  struct Row {
    const char* what;
    UnhealthyPodEviction policy;
    std::int64_t min_available;
    bool spares;
  };
  const std::vector<Pod> pods = {replica("a"), replica("b"), replica("c", false)};
  for (const Row& row : {
           Row{"as many are healthy as desired", UnhealthyPodEviction::IfHealthyBudget, 2, true},
           Row{"fewer are", UnhealthyPodEviction::IfHealthyBudget, 3, false},
           Row{"none is desired", UnhealthyPodEviction::IfHealthyBudget, 0, false},
           Row{"always", UnhealthyPodEviction::AlwaysAllow, 3, true},
           Row{"a policy of the future", UnhealthyPodEviction::Unknown, 2, false},
       }) {
    DisruptionBudget budget = ours();
    budget.hard = true;
    budget.unhealthy = row.policy;
    budget.min_available = IntOrPercent{row.min_available};
    budget.rate_disruptions = 0;  // so that a charge is a refusal
    budget.rate_per = hours(1);
    EXPECT_EQ(spares_unhealthy(budget, strength_of(budget, pods)), row.spares) << row.what;
    PodDisruptionBudget pdb = upstream("pdb", 0);
    pdb.unhealthy = row.policy;
    pdb.desired_healthy = row.min_available;
    pdb.current_healthy = 2;
    EXPECT_EQ(spares_unhealthy(pdb), row.spares) << row.what;
    const Budgets of_pdb{.upstream = {pdb}};
    EXPECT_EQ(violating({&pods[2]}, of_pdb, RuleSet::Elbowroom, kNoon)[0].firm, row.spares ? 0 : 1)
        << row.what;
    EXPECT_EQ(violating({&pods[0]}, of_pdb, RuleSet::Elbowroom, kNoon)[0].firm, 1) << row.what;
    EXPECT_EQ(violating({&pods[2]}, of_pdb, RuleSet::Upstream, kNoon)[0].firm, 1)
        << row.what << ": kube-scheduler charges it";
    const Budgets budgets{.ours = {budget}, .cluster_pods = pods};
    const auto by = forbidding_budgets({&pods[0], &pods[2]}, budgets, kNoon);
    EXPECT_NE(by[0], nullptr) << row.what << ": a healthy one stays";
    EXPECT_EQ(by[1] == nullptr, row.spares) << row.what;
    Pod starting = pods[2];
    starting.phase = Phase::Pending;
    EXPECT_NE(forbidding_budgets({&starting}, budgets, kNoon)[0], nullptr)
        << row.what << ": one that is starting is charged";
    Budgets soft = budgets;
    soft.ours[0].hard = false;
    EXPECT_EQ(violating({&pods[2]}, soft, RuleSet::Elbowroom, kNoon)[0].any, row.spares ? 0 : 1)
        << row.what;
  }
}

TEST(AllowedNow, RateCountsWhatIsYoungerThanItsPeriod) {
  DisruptionBudget budget = ours();
  budget.rate_disruptions = 2;
  budget.rate_per = hours{1};
  budget.recent = {{"a", "a", kNoon - hours{1}}, {"b", "b", kNoon - minutes{59}}};
  EXPECT_EQ(allowed_now(budget, Strength{}, kNoon), 1);
  budget.recent.push_back({"c", "c", kNoon + minutes{5}});  // a writer's clock is ahead
  EXPECT_EQ(allowed_now(budget, Strength{}, kNoon), 0);
  budget.recent.push_back({"d", "d", kNoon});
  EXPECT_EQ(allowed_now(budget, Strength{}, kNoon), 0);
}

TEST(AllowedNow, TheLesserOfStrengthAndRate) {
  DisruptionBudget budget = ours();
  const std::vector<Pod> pods = five_of_which_four_are_ready();
  budget.rate_disruptions = 3;
  budget.rate_per = hours{1};
  budget.min_available = IntOrPercent{2};
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 2);
  budget.rate_disruptions = 1;
  EXPECT_EQ(allowed_now(budget, pods, kNoon), 1);
}

TEST(AllowedNow, HugeFiguresAreBounded) {
  DisruptionBudget budget = ours();
  const std::vector<Pod> pods = five_of_which_four_are_ready();
  for (const bool percent : {false, true}) {
    budget.min_available = IntOrPercent{kMaxAmount, percent};
    budget.max_unavailable.reset();
    EXPECT_EQ(allowed_now(budget, pods, kNoon), 0);
    budget.min_available.reset();
    budget.max_unavailable = IntOrPercent{kMaxAmount, percent};
    EXPECT_GE(allowed_now(budget, pods, kNoon), 4);
  }
}

// Three potential victims of one budget, most important first.
struct Three {
  Pod a = replica("a");
  Pod b = replica("b");
  Pod c = replica("c");

  [[nodiscard]] std::vector<Unit<Pod>> in_order() const { return {&a, &b, &c}; }
};

TEST(Violating, DefaultRulesChargeFromTheLeastImportantUp) {
  const Three three;
  const Budgets budgets{.upstream = {upstream("one", 1)}};
  EXPECT_THAT(counted_violations(three.in_order(), budgets, RuleSet::Elbowroom, kNoon),
              ElementsAre(true, true, false));
  EXPECT_THAT(counted_violations(three.in_order(), budgets, RuleSet::Upstream, kNoon),
              ElementsAre(false, true, true));
}

TEST(Violating, UpstreamStopsAtTheFirstBudgetThatBreaks) {
  Three three;
  three.b.labels["tier"] = "y";
  three.a.labels["tier"] = "y";
  three.c.labels.clear();
  PodDisruptionBudget second = upstream("two", 1);
  second.selector = selects("tier", "y");
  // a breaks "one"; only by default rules does it use up "two" as well.
  PodDisruptionBudget first = upstream("one", 0);
  first.selector = selects("app", "only-a");
  three.a.labels["app"] = "only-a";
  three.b.labels["app"] = "b";
  const Budgets budgets{.upstream = {second, first}};
  EXPECT_THAT(counted_violations({&three.a, &three.b}, budgets, RuleSet::Upstream, kNoon),
              ElementsAre(true, false));
  EXPECT_THAT(counted_violations({&three.b, &three.a}, budgets, RuleSet::Elbowroom, kNoon),
              ElementsAre(true, true));
}

TEST(Violating, ADisruptedPodIsNotChargedAgain) {
  const Three three;
  Budgets budgets{.upstream = {upstream("one", 1)}};
  budgets.upstream[0].disrupted_pods = {"c"};
  EXPECT_THAT(counted_violations(three.in_order(), budgets, RuleSet::Elbowroom, kNoon),
              ElementsAre(true, false, false));
}

TEST(Violating, ABudgetWithoutSelectorOrInAnotherNamespaceCoversNobody) {
  const Three three;
  Budgets budgets{.upstream = {upstream("one", 0), upstream("two", 0)}};
  budgets.upstream[0].selector.reset();
  budgets.upstream[1].ns = "other";
  EXPECT_THAT(counted_violations(three.in_order(), budgets, RuleSet::Elbowroom, kNoon),
              ElementsAre(false, false, false));
}

std::vector<bool> forbidden_by_hard_budgets(const std::vector<Unit<Pod>>& victims,
                                            const Budgets& budgets, Time now) {
  std::vector<bool> forbidden;
  for (const DisruptionBudget* by : forbidding_budgets(victims, budgets, now)) {
    forbidden.push_back(by != nullptr);
  }
  return forbidden;
}

TEST(HardBudgets, AllowTheLeastImportantOnesAndForbidTheRest) {
  const Three three;
  Budgets budgets{.ours = {ours()}};
  budgets.ours[0].rate_disruptions = 1;
  budgets.ours[0].rate_per = hours{1};
  EXPECT_THAT(forbidden_by_hard_budgets(three.in_order(), budgets, kNoon),
              ElementsAre(false, false, false));
  budgets.ours[0].hard = true;
  EXPECT_THAT(forbidden_by_hard_budgets(three.in_order(), budgets, kNoon),
              ElementsAre(true, true, false));
}

TEST(HardBudgets, APodIsChargedAgainOnceItsEntryIsTooOldToCount) {
  const Three three;
  Budgets budgets{.ours = {ours()}};
  DisruptionBudget& hard = budgets.ours[0];
  hard.hard = true;
  hard.rate_disruptions = 1;
  hard.rate_per = hours{1};
  hard.recent = {{.pod = three.a.name, .uid = three.a.uid, .time = kNoon - minutes{59}}};
  EXPECT_THAT(forbidden_by_hard_budgets(three.in_order(), budgets, kNoon),
              ElementsAre(false, true, true));
  EXPECT_THAT(forbidden_by_hard_budgets(three.in_order(), budgets, kNoon + minutes{1}),
              ElementsAre(true, true, false));
}

TEST(HardBudgets, AForbiddenPodUsesUpNoOtherBudget) {
  Three three;
  three.c.labels["tier"] = three.b.labels["tier"] = "y";
  three.b.labels["app"] = "z";
  Budgets budgets{.ours = {ours(), ours()}};
  budgets.ours[0].hard = budgets.ours[1].hard = true;
  budgets.ours[0].rate_disruptions = 0;  // forbids c
  budgets.ours[0].rate_per = budgets.ours[1].rate_per = hours{1};
  budgets.ours[1].name = "second";
  budgets.ours[1].selector = selects("tier", "y");
  budgets.ours[1].rate_disruptions = 1;
  EXPECT_THAT(forbidden_by_hard_budgets({&three.b, &three.c}, budgets, kNoon),
              ElementsAre(false, true));
}

}  // namespace
}  // namespace elbowroom::policy
