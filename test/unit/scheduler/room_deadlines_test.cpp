#include "scheduler/resizing/room_deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

policy::Pod leaving(const std::string& name) {
  policy::Pod pod = test::running_pod(name, 1000);
  pod.uid = "one";
  pod.deletion = policy::Time(seconds(1'780'000'010));
  pod.deletion_grace_seconds = 10;
  return pod;
}

// Two objects of one uid contradict each other: when one of them is deleted, the other one counts
// as before.
TEST(RoomDeadlines, ATwinThatGoesLeavesTheOtherOverdue) {
  RoomDeadlines clock;
  clock.saw(leaving("first"), seconds(0));
  clock.saw(leaving("twin"), seconds(20));
  EXPECT_THAT(clock.overdue(seconds(50)), ElementsAre("one"));
  clock.gone("default/twin");
  EXPECT_THAT(clock.overdue(seconds(50)), ElementsAre("one"));
  clock.gone("default/first");
  EXPECT_TRUE(clock.overdue(seconds(50)).empty());
}

}  // namespace
}  // namespace elbowroom::scheduler
