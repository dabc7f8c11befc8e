// The order of names for people.
#include "policy/model/natural_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace elbowroom::policy {
namespace {

std::vector<std::string> ordered(std::vector<std::string> names) {
  std::ranges::sort(names, natural_less);
  return names;
}

TEST(NaturalOrder, NumbersCompareAsNumbers) {
  EXPECT_THAT(
      ordered({"node10", "node2", "node1", "node", "node2-b", "node2-a10", "node2-a9"}),
      testing::ElementsAre("node", "node1", "node2", "node2-a9", "node2-a10", "node2-b", "node10"));
}

// Numbers of more digits than any integer has.
TEST(NaturalOrder, NumbersHaveNoBound) {
  const std::string nines(60, '9');
  EXPECT_TRUE(natural_less("a" + nines, "a1" + std::string(60, '0')));
  EXPECT_FALSE(natural_less("a1" + std::string(60, '0'), "a" + nines));
}

TEST(NaturalOrder, EqualNumbersAreWrittenDifferently) {
  EXPECT_THAT(ordered({"a1", "a01", "a001b", "a1b", "a0", "a00"}),
              testing::ElementsAre("a0", "a00", "a01", "a1", "a001b", "a1b"));
  EXPECT_FALSE(natural_less("a1", "a1"));
}

TEST(NaturalOrder, BytesAboveAsciiComeLast) { EXPECT_TRUE(natural_less("z", "\xc3\xa4")); }

}  // namespace
}  // namespace elbowroom::policy
