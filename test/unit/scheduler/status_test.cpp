#include "scheduler/status.h"

#include <gtest/gtest.h>

#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;

TEST(SchedulerStanding, TheAgeOfADeferralGoesOnWhileNothingIsObserved) {
  test::SchedulerWorld world;
  world.put(test::node(4000));
  world.put(test::deferred(test::running_pod("web", 1000, 0, 100), 2000));
  world.put(test::running_pod("peer", 3000, 0, 100));
  world.start();
  EXPECT_EQ(scheduler_status_of(world.reactor(), world.now()).deferred_longest, seconds(0));
  EXPECT_EQ(scheduler_status_of(world.reactor(), world.now() + seconds(90)).deferred_longest,
            seconds(90));
}

}  // namespace
}  // namespace elbowroom::scheduler
