#include "scheduler/breaker.h"

#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// So many pods, unlike all others of that letter.
std::vector<std::string> pods(char letter, std::size_t count) {
  std::vector<std::string> uids;
  for (std::size_t i = 0; i < count; ++i) uids.push_back(letter + std::to_string(i));
  return uids;
}

TEST(Breaker, ThreeSetsForOnePodInTenMinutes) {
  Breaker breaker{{}};
  for (int set = 0; set < 3; ++set) {
    const auto now = minutes(set);
    const auto victims = pods(static_cast<char>('a' + set), 1);
    EXPECT_EQ(breaker.allowed_at("u", "n", victims, now), now);
    breaker.note("u", "n", victims, now);
    EXPECT_EQ(breaker.allowed_at("u", "n", victims, now), now) << "they were counted";
  }
  EXPECT_EQ(breaker.allowed_at("u", "other", pods('x', 1), minutes(3)), minutes(10));
  EXPECT_EQ(breaker.allowed_at("another", "n", pods('x', 1), minutes(3)), minutes(3));
  breaker.advance(minutes(10));
  EXPECT_EQ(breaker.allowed_at("u", "n", pods('x', 1), minutes(10)), minutes(10));
}

TEST(Breaker, TenPodsOfOneNodeInTenMinutes) {
  Breaker breaker{{}};
  breaker.note("a", "n", pods('a', 4), seconds(0));
  breaker.note("b", "n", pods('b', 4), seconds(60));
  EXPECT_EQ(breaker.allowed_at("c", "n", pods('x', 2), seconds(90)), seconds(90));
  EXPECT_EQ(breaker.allowed_at("c", "n", pods('x', 3), seconds(90)), seconds(600));
  EXPECT_EQ(breaker.allowed_at("c", "n", pods('x', 7), seconds(90)), seconds(660));
  EXPECT_EQ(breaker.allowed_at("c", "m", pods('x', 9), seconds(90)), seconds(90));
}

TEST(Breaker, ASetLargerThanTheLimitNeverGoes) {
  const Breaker breaker{{}};
  EXPECT_EQ(breaker.allowed_at("a", "n", pods('x', 10), seconds(5)), seconds(5));
  EXPECT_EQ(breaker.allowed_at("a", "n", pods('x', 11), seconds(5)), std::nullopt);
}

}  // namespace
}  // namespace elbowroom::scheduler
