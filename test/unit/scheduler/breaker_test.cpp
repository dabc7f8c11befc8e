#include "scheduler/breaker.h"

#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(Breaker, ThreeSetsForOnePodInTenMinutes) {
  Breaker breaker{{}};
  for (int set = 0; set < 3; ++set) {
    const auto now = minutes(set);
    EXPECT_EQ(breaker.allowed_at("u", "n", 1, now), now);
    breaker.note("u", "n", 1, now);
  }
  EXPECT_EQ(breaker.allowed_at("u", "other", 1, minutes(3)), minutes(10));
  EXPECT_EQ(breaker.allowed_at("another", "n", 1, minutes(3)), minutes(3));
  breaker.advance(minutes(10));
  EXPECT_EQ(breaker.allowed_at("u", "n", 1, minutes(10)), minutes(10));
}

TEST(Breaker, TenPodsOfOneNodeInTenMinutes) {
  Breaker breaker{{}};
  breaker.note("a", "n", 4, seconds(0));
  breaker.note("b", "n", 4, seconds(60));
  EXPECT_EQ(breaker.allowed_at("c", "n", 2, seconds(90)), seconds(90));
  EXPECT_EQ(breaker.allowed_at("c", "n", 3, seconds(90)), seconds(600));
  EXPECT_EQ(breaker.allowed_at("c", "n", 7, seconds(90)), seconds(660));
  EXPECT_EQ(breaker.allowed_at("c", "m", 9, seconds(90)), seconds(90));
}

TEST(Breaker, ASetLargerThanTheLimitGoesAlone) {
  Breaker breaker{{}};
  EXPECT_EQ(breaker.allowed_at("a", "n", 40, seconds(5)), seconds(5));
  breaker.note("a", "n", 40, seconds(5));
  EXPECT_EQ(breaker.allowed_at("b", "n", 1, seconds(6)), seconds(605));
  EXPECT_EQ(breaker.allowed_at("b", "n", 40, seconds(6)), seconds(605));
}

}  // namespace
}  // namespace elbowroom::scheduler
