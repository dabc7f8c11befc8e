#include "lab/controllers/controllers.h"

#include "lab/virtual/simulation.h"
#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::SizeIs;

class RestingTest : public testing::ControllersTest {};

TEST_F(RestingTest, WhatDoesNotConcernThemIsNotLookedAt) {
  make("deployments", "web", 1);
  settle();
  EXPECT_FALSE(controllers_.is_due(now_));
  ASSERT_TRUE(world_.create(*find_kind("", "v1", "configmaps"), "default",
                            {{"metadata", {{"name", "c"}}}}));
  EXPECT_FALSE(controllers_.is_due(now_));
  remove(active()[0]);
  EXPECT_TRUE(controllers_.is_due(now_));
  EXPECT_TRUE(controllers_.step(now_));
}

void make_daemon_set(World& world) {
  ASSERT_TRUE(world.create(testing::app_kind("daemonsets"), "default",
                           testing::app_object("daemonsets", "log", 0)));
}

std::vector<Object> pods_in(World& world) { return stored_objects(world, testing::pods()); }

TEST(SimulatedControllers, ActAfterEveryChange) {
  for (const Latency latency : {Latency::Network, Latency::None}) {
    Simulation simulation({.latency = latency, .controllers = true});
    World& world = simulation.world();
    ASSERT_TRUE(world.create(testing::nodes(), "", testing::node_object("n")));
    simulation.add_node("n");
    make_daemon_set(world);
    simulation.run_until(std::chrono::seconds(5));
    ASSERT_THAT(pods_in(world), SizeIs(1));
    const Json first = pods_in(world)[0].json();
    EXPECT_TRUE(is_ready_pod(first));
    simulation.at(std::chrono::seconds(10), [&] {
      (void)world.remove(testing::pod_target(text_at(first, {"metadata", "name"})), {});
    });
    EXPECT_TRUE(simulation.run_until_quiescent(std::chrono::minutes(5)));
    ASSERT_THAT(pods_in(world), SizeIs(1));
    EXPECT_NE(pods_in(world)[0]["metadata"]["uid"], first["metadata"]["uid"]);
    EXPECT_TRUE(is_ready_pod(pods_in(world)[0]));
  }
}

TEST(SimulatedControllers, AreNotThereUnlessAskedFor) {
  Simulation simulation({.latency = Latency::None});
  ASSERT_TRUE(simulation.world().create(testing::nodes(), "", testing::node_object("n")));
  simulation.add_node("n");
  make_daemon_set(simulation.world());
  simulation.run_until(std::chrono::minutes(5));
  EXPECT_THAT(pods_in(simulation.world()), SizeIs(0));
  EXPECT_TRUE(simulation.is_quiescent());
}

}  // namespace
}  // namespace elbowroom::lab
