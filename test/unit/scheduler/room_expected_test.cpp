#include "scheduler/resizing/room_expected.h"

#include <gtest/gtest.h>

#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using std::chrono::seconds;
using test::deferred;
using test::running_pod;

constexpr policy::Time at(int second) { return policy::Time{seconds(second)}; }

std::optional<policy::Time> expected(const std::vector<Pod>& pods,
                                     std::vector<PendingRoom> coming) {
  return room_expected_by(test::node(4000), pods, pods.front(), std::move(coming));
}

TEST(RoomExpected, WhereNothingComesThereIsNoTime) {
  EXPECT_EQ(expected({deferred(running_pod("web", 1000), 2000), running_pod("a", 3000)}, {}),
            std::nullopt);
}

TEST(RoomExpected, IsThereWithTheFirstThatIsEnough) {
  const std::vector<Pod> pods = {deferred(running_pod("web", 1000), 3000), running_pod("a", 1000),
                                 running_pod("b", 1000), running_pod("c", 1000)};
  EXPECT_EQ(expected(pods, {{"uid-c", at(90), {}}, {"uid-a", at(30), {}}, {"uid-b", at(60), {}}}),
            at(60));
}

TEST(RoomExpected, AShrinkBringsWhatItGivesUp) {
  const std::vector<Pod> pods = {deferred(running_pod("web", 1000), 2000), running_pod("a", 2000),
                                 running_pod("b", 1000)};
  EXPECT_EQ(expected(pods, {{"uid-a", at(30), test::amounts(1500, 0)}, {"uid-b", at(60), {}}}),
            at(60));
  EXPECT_EQ(expected(pods, {{"uid-a", at(30), test::amounts(1000, 0)}, {"uid-b", at(60), {}}}),
            at(30));
}

TEST(RoomExpected, WhereItIsNeverEnoughTheLastOneIsWaitedFor) {
  const std::vector<Pod> pods = {deferred(running_pod("web", 1000), 4000), running_pod("a", 1000),
                                 running_pod("b", 2000)};
  EXPECT_EQ(expected(pods, {{"uid-a", at(30), {}}}), at(30));
}

}  // namespace
}  // namespace elbowroom::scheduler
