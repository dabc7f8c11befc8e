// How long the agent knows the DisruptionBudgets that it read.
#include "agent/seen_budgets.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace elbowroom::agent {
namespace {

using namespace std::chrono_literals;

TEST(SeenBudgets, AreOldAfterFiveSecondsThoseReadFirstBeforeOthers) {
  SeenBudgets budgets;
  EXPECT_EQ(budgets.next_old(), std::nullopt);
  budgets.put("a", {.at = 7s});
  budgets.put("b", {.at = 3s});
  EXPECT_EQ(budgets.next_old(), 8s);
  budgets.drop_old(8s - 1ms);
  EXPECT_TRUE(budgets.knows("b"));
  budgets.drop_old(8s);
  EXPECT_FALSE(budgets.knows("b"));
  EXPECT_TRUE(budgets.knows("a"));
  EXPECT_EQ(budgets.next_old(), 12s);
}

TEST(SeenBudgets, AnUnhealthyPodIsNotEnteredWhereItsBudgetSparesIt) {
  const policy::Time noon{490'000h};
  policy::DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "db";
  budget.selector = policy::LabelSelector{};
  budget.status = {.current_healthy = 2, .desired_healthy = 2, .observed_time = noon};
  policy::Pod pod;
  pod.ns = "default";
  pod.name = "crashes";
  pod.node = "node1";
  pod.phase = policy::Phase::Running;
  SeenBudgets budgets;
  budgets.put("default", {.at = 1s, .server = noon, .budgets = {budget}});
  policy::Pod up = pod;
  pod.conditions.push_back({.type = std::string(policy::kReady), .status = "False"});
  EXPECT_TRUE(budgets.over(pod).empty());
  up.conditions.push_back({.type = std::string(policy::kReady), .status = "True"});
  EXPECT_EQ(budgets.over(up).size(), 1U);
  budget.status.current_healthy = 1;
  budgets.put("default", {.at = 1s, .server = noon, .budgets = {budget}});
  EXPECT_EQ(budgets.over(pod).size(), 1U);
}

}  // namespace
}  // namespace elbowroom::agent
