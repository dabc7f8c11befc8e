#include "policy/preemption/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/preemption/preemption_messages.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::figures;
using testing::ElementsAre;

Fit fit(std::int64_t charge, std::int64_t capacity) {
  return {.capacity = figures(capacity), .charge = figures(charge), .checked = {"cpu"}};
}

TEST(Lacking, IsWhatGoesAboveCapacityOfWhatIsChecked) {
  EXPECT_EQ(lacking(fit(3, 5), figures(2, 99)), figures(0));
  EXPECT_EQ(lacking(fit(3, 5), figures(3, 99)), figures(1));
}

TEST(Lacking, ASaturatedSumIsNeverEnough) {
  EXPECT_FALSE(is_zero(lacking(fit(kMaxAmount, kMaxAmount), figures(5))));
  EXPECT_FALSE(is_zero(lacking(fit(1, kMaxAmount), figures(kMaxAmount))));
}

TEST(Lacking, ASumOfExactlyTheLargestAmountHasNotLeft64Bits) {
  EXPECT_TRUE(is_zero(lacking(fit(5, kMaxAmount), figures(kMaxAmount - 5))));
  EXPECT_TRUE(is_zero(lacking(fit(kMaxAmount, kMaxAmount), figures(0))));
  EXPECT_FALSE(is_zero(lacking(fit(6, kMaxAmount), figures(kMaxAmount - 5))));
}

TEST(WhoGoes, TheMostImportantGetTheirPlaceBackFirst) {
  const std::vector<PotentialVictim> three = {{figures(2)}, {figures(2)}, {figures(1)}};
  EXPECT_THAT(must_be_removed(fit(3, 6), {}, three), ElementsAre(false, true, false));
}

TEST(WhoGoes, ThoseThatBreakABudgetComeBeforeThem) {
  const std::vector<PotentialVictim> three = {
      {figures(2)}, {figures(2)}, {figures(1), {.breaks_budget = true}}};
  EXPECT_THAT(must_be_removed(fit(3, 5), {}, three), ElementsAre(true, true, false));
}

TEST(InWords, UnitsAreUsedWhereTheyDivide) {
  EXPECT_EQ(in_words(figures(500, std::int64_t{3} << 29)), "500m cpu and 1536Mi memory");
  EXPECT_EQ(in_words(figures(3000, 1025)), "3 cpu and 1025 memory");
  EXPECT_EQ(in_words({}), "nothing");
}

TEST(Listed, AtMostFiveAreNamed) {
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 more");
}

}  // namespace
}  // namespace elbowroom::policy
