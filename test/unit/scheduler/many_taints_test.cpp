// Ten thousand taints, of one node and of as many nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Lt;

struct TaintedWorld : SchedulerWorld {
  TaintedWorld() : SchedulerWorld(options()) {}
  static ReactorOptions options() {
    ReactorOptions options = SchedulerWorld::usual();
    options.places_for = {"elbowroom"};
    return options;
  }
  void put_waiting(const std::string& name, const std::string& tolerates = "") {
    policy::Pod pod = test::running_pod(name, 1000, 0, 100);
    pod.node.clear();
    pod.phase = policy::Phase::Pending;
    pod.scheduler_name = "elbowroom";
    pod.containers[0].allocated_requests.reset();
    pod.containers[0].actual_requests.reset();
    pod.containers[0].state = policy::RunState::None;
    if (!tolerates.empty()) pod.placement.tolerations = {{.key = "own", .value = tolerates}};
    put(pod);
  }
};

// Each node is full of a pod that could be removed.
TEST(ManyTaints, EachOfAsManyNodesHasItsOwn) {
  const double growth = test::growth_from(1'000, [](std::size_t nodes) {
    return [nodes] {
      TaintedWorld world;
      for (std::size_t i = 0; i < nodes; ++i) {
        const std::string name = "node-" + std::to_string(i);
        policy::Node tainted = test::node(1000, 64 * test::kGi, name);
        tainted.taints = {{.key = "own", .value = name}};
        world.put(tainted);
        policy::Pod low = test::running_pod("low-" + std::to_string(i), 1000);
        low.node = name;
        world.put(low);
      }
      for (int i = 0; i < 20; ++i) world.put_waiting("web-" + std::to_string(i));
      world.start();
      world.pass(seconds(60));
      for (const std::string& each : world.writes()) EXPECT_TRUE(each.starts_with("tell ")) << each;
      EXPECT_THAT(world.waiting("default/web-7").message,
                  HasSubstr("0/" + std::to_string(nodes) + " nodes are available: " +
                            std::to_string(nodes) + " node(s) had untolerated taint(s)"));
      world.put_waiting("tolerates", "node-7");
      EXPECT_THAT(world.writes(),
                  ElementsAre("mark default/low-7", "nominate default/tolerates to node-7",
                              "delete default/low-7"));
    };
  });
  EXPECT_THAT(growth, Lt(test::kNotQuadratic));
}

// As many as are read of a node, and of the pods as many tolerations; each pod's are others.
TEST(ManyTaints, OfOneNodeAreLookedAtOnceForEachPod) {
  TaintedWorld world;
  policy::Node tainted = test::node(4000);
  for (int i = 0; i < 1'000; ++i) {
    tainted.taints.push_back({.key = "own", .value = std::to_string(i)});
  }
  world.put(tainted);
  world.put(test::running_pod("low", 4000));
  for (int i = 0; i < 20; ++i) {
    const std::string name = "web-" + std::to_string(i);
    world.put_waiting(name);
    policy::Pod pod = world.pod("default/" + name);
    for (int each = 0; each < 999; ++each) {
      pod.placement.tolerations.push_back({.key = "own", .value = std::to_string(each)});
    }
    pod.placement.tolerations.push_back({.key = name});
    world.put(pod);
  }
  world.start();
  world.pass(seconds(60));
  EXPECT_THAT(world.waiting("default/web-7").message,
              HasSubstr("1 node(s) had untolerated taint(s)"));
  for (const std::string& each : world.writes()) EXPECT_TRUE(each.starts_with("tell ")) << each;
  // The last taint goes.
  tainted.taints.pop_back();
  world.put(tainted);
  world.pass(seconds(60));
  EXPECT_THAT(world.writes(), Contains("delete default/low"));
}

}  // namespace
}  // namespace elbowroom::scheduler
