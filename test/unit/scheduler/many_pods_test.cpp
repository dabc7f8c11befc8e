// A node that has 150,000 pods: what one tenant may create stops no decision about others, and no
// pod is removed because of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "scheduler/reactor.h"
#include "test/growth.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;
using test::SchedulerWorld;
using testing::Contains;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;
using testing::StartsWith;

constexpr std::size_t kManyPods = 15'000;  // and ten times as many

// Each has one millicore of a node with four cpus, and web waits for one cpu more. All are listed,
// and web is judged.
double growth_with(const ReactorOptions& options) {
  return test::growth_from(kManyPods, [&](std::size_t pods) {
    auto world = std::make_unique<SchedulerWorld>(options);
    world->put(test::node(4000));
    for (std::size_t i = 0; i < pods; ++i) {
      world->put(test::running_pod("tiny-" + std::to_string(i), 1));
    }
    world->put(test::deferred(test::running_pod("web", 1000, 0, 100), 2000));
    return [world = std::move(world)] {
      world->start();
      world->pass(seconds(2));
      EXPECT_THAT(world->waiting("default/web").message,
                  HasSubstr(" pods at once, and the node may lose at most 10"));
      const auto writes = world->writes();
      EXPECT_THAT(writes, Not(Contains(StartsWith("mark "))));
      EXPECT_THAT(writes, Not(Contains(StartsWith("delete "))));
    };
  });
}

TEST(ManyPods, OfOneNodeCostAsMuchMoreAsThereAreMore) {
  EXPECT_THAT(growth_with(SchedulerWorld::usual()), Lt(test::kNotQuadratic));
}

TEST(ManyPods, OfOneNodeCostAsMuchMoreWherePodsArePlaced) {
  ReactorOptions full = SchedulerWorld::usual();
  full.places_for = {"elbowroom"};
  EXPECT_THAT(growth_with(full), Lt(test::kNotQuadratic));
}

}  // namespace
}  // namespace elbowroom::scheduler
