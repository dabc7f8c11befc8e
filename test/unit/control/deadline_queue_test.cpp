#include "control/deadline_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::control {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(DeadlineQueue, TheNextOneComesFirstAndEachOnce) {
  DeadlineQueue times;
  EXPECT_EQ(times.next(), std::nullopt);
  times.set("b", seconds(2));
  times.set("a", seconds(3));
  times.set("c", seconds(9));
  EXPECT_EQ(times.next(), seconds(2));
  times.set("b", seconds(3));
  EXPECT_EQ(times.next(), seconds(3));
  EXPECT_THAT(times.take_due(seconds(2)), IsEmpty());
  EXPECT_THAT(times.take_due(seconds(4)), ElementsAre("a", "b"));
  EXPECT_EQ(times.next(), seconds(9));
  times.forget("c");
  times.forget("never");
  EXPECT_EQ(times.next(), std::nullopt);
}

}  // namespace
}  // namespace elbowroom::control
