#include "base/backoff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace elbowroom {
namespace {

using namespace std::chrono_literals;

TEST(BackoffDelay, DoublesUpToItsLimit) {
  EXPECT_EQ(backoff_delay(1s, 10s, 0), 1s);
  EXPECT_EQ(backoff_delay(1s, 10s, 1), 2s);
  EXPECT_EQ(backoff_delay(1s, 10s, 3), 8s);
  EXPECT_EQ(backoff_delay(1s, 10s, 4), 10s);
  EXPECT_EQ(backoff_delay(1s, 10s, std::numeric_limits<unsigned>::max()), 10s);
  EXPECT_EQ(backoff_delay(20s, 10s, 0), 10s) << "a first delay above the limit";
}

}  // namespace
}  // namespace elbowroom
