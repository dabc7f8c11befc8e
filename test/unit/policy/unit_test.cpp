// Units of several pods, wherever policy orders, charges and reprieves units.
#include "policy/model/unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/model/importance.h"
#include "policy/preemption/budget_account.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/critical.h"
#include "policy/preemption/fit.h"
#include "policy/preemption/preemption_messages.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::figures;
using test::kNoon;
using test::pod_of_size;
using testing::ElementsAre;

constexpr RuleSet kBoth[] = {RuleSet::Elbowroom, RuleSet::Upstream};

// Two pods on the node and one elsewhere.
struct Three {
  Pod a = pod_of_size("a", 0, figures(1000), 5);
  Pod b = pod_of_size("b", 0, figures(1000), 3);
  Pod far = pod_of_size("far", 0, figures(1000), 4);
  std::vector<const Pod*> members{&a, &b, &far};
  GroupUnit<Pod> group{.uid = "g",
                       .priority = 10,
                       .here = std::span(members).first(2),
                       .after = std::span(members).last(1)};
  Unit<Pod> unit{group};
  Three() { far.node = "node2"; }
  Three(const Three&) = delete;
};

bool is_first(const Unit<Pod>& one, const Unit<Pod>& other, RuleSet rules) {
  return importance_of(rank_of(one), rules) < importance_of(rank_of(other), rules);
}

// Pods of each unit that violate a budget of either kind.
std::vector<std::int32_t> pods_of(const std::vector<Violations>& units) {
  std::vector<std::int32_t> counts;
  for (const Violations& each : units) counts.push_back(each.any);
  return counts;
}

std::vector<std::int32_t> pods_violating(const std::vector<Unit<Pod>>& victims,
                                         const Budgets& budgets, RuleSet rules, Time now) {
  return pods_of(violating(victims, budgets, rules, now));
}

TEST(Unit, APodIsAUnitOfOne) {
  const Pod pod = pod_of_size("a", 7, figures(1000), 3);
  const Unit<Pod> unit(&pod);
  EXPECT_THAT(pods_here(unit), ElementsAre(&pod));
  for_each_elsewhere(unit, [](const Pod&) { ADD_FAILURE(); });
  EXPECT_EQ(members_of(unit), 1);
  EXPECT_EQ(priority_of(unit), 7);
  EXPECT_EQ(rank_of(unit), rank_of(pod));
  for (const RuleSet rules : kBoth) {
    EXPECT_EQ(importance_of(rank_of(unit), rules), importance_of(pod, rules));
  }
  // A copy holds its own pod.
  const std::vector<Unit<Pod>> copies(3, unit);
  EXPECT_THAT(pods_here(copies[2]), ElementsAre(&pod));
}

TEST(Unit, AGroupHasItsOwnPriorityTheBestQosAndTheEarliestStart) {
  Three three;
  three.far.qos_in_status = Qos::Guaranteed;
  three.a.started.reset();
  EXPECT_EQ(rank_of(three.unit), (UnitRank{.priority = 10,
                                           .is_group = true,
                                           .members = 3,
                                           .qos = Qos::Guaranteed,
                                           .started = three.b.started,
                                           .uid = "g"}));
  EXPECT_EQ(start_of(three.unit), three.b.started);
  EXPECT_TRUE(is_of(three.unit, three.b));
  EXPECT_FALSE(is_of(three.unit, three.far)) << "not on the node";
}

TEST(Unit, AGroupComesBeforeAPodOfItsPriorityAndAfterOneOfAHigherPriority) {
  const Three three;
  Pod pod = pod_of_size("pod", 10, figures(1000), 1);
  pod.qos_in_status = Qos::Guaranteed;
  const Pod* only = &three.a;
  const GroupUnit<Pod> small{.uid = "f", .priority = 10, .here = {&only, 1}};
  for (const RuleSet rules : kBoth) {
    EXPECT_TRUE(is_first(three.unit, &pod, rules));
    pod.priority = 11;
    EXPECT_FALSE(is_first(three.unit, &pod, rules));
    pod.priority = 10;
  }
  EXPECT_TRUE(is_first(three.unit, Unit<Pod>(small), RuleSet::Upstream)) << "more pods";
  EXPECT_TRUE(is_first(three.unit, Unit<Pod>(small), RuleSet::Elbowroom)) << "earlier start";
}

// ---- budgets ----

PodDisruptionBudget allowing(std::int64_t allowed, const std::string& app) {
  return {.ns = "default",
          .name = "web",
          .selector = LabelSelector{.match_labels = {{"app", app}}},
          .disruptions_allowed = allowed};
}

TEST(UnitBudgets, APodOnAnotherNodeIsCharged) {
  Three three;
  three.far.labels["app"] = "web";
  for (const RuleSet rules : kBoth) {
    EXPECT_THAT(pods_violating({three.unit}, {.upstream = {allowing(0, "web")}}, rules, kNoon),
                ElementsAre(1));
    EXPECT_THAT(pods_violating({three.unit}, {.upstream = {allowing(1, "web")}}, rules, kNoon),
                ElementsAre(0));
  }
}

TEST(UnitBudgets, EveryPodIsChargedAndThoseThatViolateAreCounted) {
  Three three;
  Pod alone = pod_of_size("alone", 10, figures(1000));
  for (Pod* each : {&three.a, &three.b, &three.far, &alone}) each->labels["app"] = "web";
  const Budgets budgets{.upstream = {allowing(2, "web")}};
  EXPECT_THAT(pods_violating({three.unit, &alone}, budgets, RuleSet::Elbowroom, kNoon),
              ElementsAre(2, 0));
  EXPECT_THAT(pods_violating({three.unit, &alone}, budgets, RuleSet::Upstream, kNoon),
              ElementsAre(1, 1));
}

TEST(UnitBudgets, AHardBudgetAllowsAllPodsOfAUnitOrForbidsTheUnit) {
  Three three;
  Pod alone = pod_of_size("alone", 10, figures(1000));
  for (Pod* each : {&three.a, &three.b, &three.far, &alone}) each->labels["app"] = "web";
  Budgets budgets{.ours = {{.ns = "default",
                            .name = "hard",
                            .selector = LabelSelector{},
                            .rate_disruptions = 2,
                            .rate_per = std::chrono::hours{1},
                            .hard = true}}};
  const auto forbidden = [&] {
    std::vector<bool> all;
    for (const auto* by : forbidding_budgets({&alone, three.unit}, budgets, kNoon)) {
      all.push_back(by != nullptr);
    }
    return all;
  };
  // The unit is charged first, as the less important one. What it needs is not there, so it uses
  // nothing up and the pod above it may be removed.
  EXPECT_THAT(forbidden(), ElementsAre(false, true));
  budgets.ours[0].rate_disruptions = 3;
  EXPECT_THAT(forbidden(), ElementsAre(true, false));
  budgets.ours[0].rate_disruptions = 4;
  EXPECT_THAT(forbidden(), ElementsAre(false, false));
}

TEST(BudgetAccounts, AForbiddenUnitGivesBackWhatItsFirstPodsUsed) {
  // One pod of the upper unit; the lower unit has a pod of account 0, and one of accounts 2, 0, 1.
  const BudgetAccounts accounts{.left = {2, 0, kUnlimited},
                                .is_soft = {false, false, false},
                                .covering = {0, 0, 2, 0, 1},
                                .pod_ends = {1, 2, 5},
                                .unit_ends = {1, 3}};
  EXPECT_THAT(forbidding(accounts), ElementsAre(std::nullopt, std::optional(1U)));
  EXPECT_THAT(pods_of(breaking(accounts, RuleSet::Elbowroom)), ElementsAre(1, 1));
  EXPECT_THAT(pods_of(breaking(accounts, RuleSet::Upstream)), ElementsAre(0, 1));
}

TEST(BudgetAccounts, AUnitStaysWhoseBudgetsAreTooManyToBeWritten) {
  BudgetAccounts accounts{.left = std::vector<std::int64_t>(kMostBudgetsOverPod + 1, 5)};
  for (std::uint32_t i = 0; i <= kMostBudgetsOverPod; ++i) accounts.covering.push_back(i);
  accounts.end_pod();
  accounts.end_unit();
  accounts.covering.push_back(0);
  accounts.end_pod();
  accounts.end_unit();
  EXPECT_THAT(forbidding(accounts), ElementsAre(std::optional(kMostBudgetsOverPod), std::nullopt));
  accounts.covering.erase(accounts.covering.begin());
  accounts.pod_ends = {kMostBudgetsOverPod, kMostBudgetsOverPod + 1};
  EXPECT_THAT(forbidding(accounts), ElementsAre(std::nullopt, std::nullopt));
}

// ---- reprieve, and the node's own choice ----

TEST(UnitReprieve, TheChargeOfAllItsPodsDecides) {
  const Fit fit{.capacity = figures(4000), .charge = figures(2500), .checked = {"cpu"}};
  // A unit of two pods of 1 cpu does not fit, so neither is put back; a pod of 1 cpu does.
  EXPECT_THAT(
      must_be_removed(fit, {}, std::vector<PotentialVictim>{{figures(2000)}, {figures(1000)}}),
      ElementsAre(true, false));
}

TEST(CriticalVictims, AUnitCoversWhatItsPodsOnTheNodeHold) {
  const Three three;
  const Pod pod = pod_of_size("pod", 0, figures(1000));
  const std::vector<Removable> candidates = {{three.unit, figures(2000)}, {&pod, figures(1000)}};
  EXPECT_THAT(*critical_victims(candidates, figures(2000)), ElementsAre(three.unit));
  EXPECT_THAT(*critical_victims(candidates, figures(500)), ElementsAre(Unit<Pod>(&pod)));
}

TEST(CriticalVictims, OnePodThatMayNotBeRemovedKeepsTheUnit) {
  Three three;
  Pod critical = pod_of_size("critical", 2'000'000'000, figures(1));
  EXPECT_TRUE(preemptable(critical, three.unit));
  three.far.is_static = true;
  critical.priority = 0;
  EXPECT_FALSE(preemptable(critical, three.unit));
}

// ---- words ----

TEST(UnitWords, NameThePodsOfTheUnit) {
  const Three three;
  const Pod pod = pod_of_size("pod", 10, figures(1000), 9);
  EXPECT_EQ(name_of(&pod), "default/pod");
  EXPECT_EQ(name_of(three.unit), "default/a, default/b and default/far");
  const std::vector<Rated> rated = {{.unit = three.unit, .charge = figures(2000)},
                                    {.unit = &pod, .charge = figures(1000), .goes = true}};
  EXPECT_EQ(victim_reason(rated, 1, figures(500), RuleSet::Elbowroom),
            "lowest priority (10) whose 1 cpu is needed; equal to default/a, default/b and "
            "default/far but not a pod group that is disrupted as a whole");
  Pod grouped = pod_of_size("grouped", 10, figures(1000), 12);
  grouped.scheduling_group = "g";
  const std::vector<Rated> two = {{.unit = &grouped, .charge = figures(1000)},
                                  {.unit = &pod, .charge = figures(1000), .goes = true}};
  EXPECT_EQ(victim_reason(two, 1, figures(500), RuleSet::Upstream),
            "lowest priority (10) whose 1 cpu is needed; equal to default/grouped but of no pod "
            "group");
  const std::vector<Rated> alone = {{.unit = three.unit, .charge = figures(2000), .goes = true}};
  EXPECT_EQ(victim_reason(alone, 0, figures(500), RuleSet::Elbowroom),
            "lowest priority (10) whose 2 cpu is needed; removed as one: default/a, default/b and "
            "default/far");
}

}  // namespace
}  // namespace elbowroom::policy
