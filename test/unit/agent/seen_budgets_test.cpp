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

}  // namespace
}  // namespace elbowroom::agent
