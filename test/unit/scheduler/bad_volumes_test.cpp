// Claims, volumes and drivers that make no sense: the pod that depends on them waits and is told
// why, and no pod is removed where that could not help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "scheduler/reactor.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;
using test::SchedulerWorld;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ReactorOptions places_pods() {
  ReactorOptions options = SchedulerWorld::usual();
  options.places_for = {"elbowroom"};
  return options;
}

// One node, full of pods of priority 0; web has priority 100, and the claim "data" of class "fast".
struct FullWorld : SchedulerWorld {
  FullWorld() : SchedulerWorld(places_pods()) {
    put(test::node(2000));
    put(test::running_pod("low-1", 1000));
    put(test::running_pod("low-2", 1000));
    web.node.clear();
    web.phase = policy::Phase::Pending;
    web.scheduler_name = "elbowroom";
    web.containers[0].allocated_requests.reset();
    web.containers[0].actual_requests.reset();
    web.containers[0].state = policy::RunState::None;
    web.placement.claims = {{.name = "data"}};
    storage_classes = {{.name = "fast", .provisioner = "d", .waits_for_consumer = true}};
    csi_nodes = {{.name = "node-1", .limits = {{"d", 5}}}};
  }
  void bind_claim() {
    claim.volume = volume.name;
    claim.is_completed = true;
    put(volume);
  }

  policy::Pod web = test::running_pod("web", 1000, 0, 100);
  policy::VolumeClaim claim{.ns = "default",
                            .name = "data",
                            .uid = "uid-data",
                            .storage_class = "fast",
                            .access_modes = policy::kReadWriteOnce,
                            .request = 10};
  policy::PersistentVolume volume{
      .name = "disk",
      .storage_class = "fast",
      .driver = "d",
      .handle = "h",
      .access_modes = policy::kReadWriteOnce,
      .capacity = 10,
      .claim = policy::ClaimRef{.ns = "default", .name = "data", .uid = "uid-data"}};
  std::vector<policy::CsiDriver> drivers{};
  std::vector<policy::StorageCapacity> capacities{};
};

struct NonsenseRow {
  std::string what;
  std::function<void(FullWorld& world)> change;
  std::string message;  // "": a pod is removed for web
};

TEST(BadVolumes, NobodyIsRemovedForWhatRemovalDoesNotCure) {
  const std::vector<NonsenseRow> rows = {
      {"a volume without affinity", [](FullWorld& world) { world.bind_claim(); }, ""},
      {"a volume whose affinity has no terms",
       [](FullWorld& world) {
         world.volume.nodes.emplace();
         world.bind_claim();
       },
       "node(s) didn't match PersistentVolume's node affinity"},
      {"a volume that does not exist",
       [](FullWorld& world) {
         world.claim.volume = "gone";
         world.claim.is_completed = true;
       },
       "persistentvolume \"gone\" not found"},
      {"a limit below zero",
       [](FullWorld& world) {
         world.csi_nodes = {{.name = "node-1", .limits = {{"d", 0}}}};
         world.bind_claim();
       },
       "node(s) exceed max volume count"},
      {"five thousand drivers",
       [](FullWorld& world) {
         for (int i = 0; i < 5'000; ++i) {
           world.csi_nodes[0].limits["d" + std::to_string(i)] = 9'000'000'000'000'000'000;
         }
         world.bind_claim();
       },
       ""},
      {"five thousand drivers, and a limit below zero",
       [](FullWorld& world) {
         for (int i = 0; i < 5'000; ++i) world.csi_nodes[0].limits["d" + std::to_string(i)] = 0;
         world.volume.driver = "d4999";
         world.bind_claim();
       },
       "node(s) exceed max volume count"},
      {"a class whose binding mode nobody knows",
       [](FullWorld& world) { world.storage_classes[0].waits_for_consumer = false; },
       "pod has unbound immediate PersistentVolumeClaims"},
      {"a class that allows no node",
       [](FullWorld& world) { world.storage_classes[0].topologies.emplace(); },
       "node(s) didn't find available persistent volumes to bind"},
      {"a class that is not there", [](FullWorld& world) { world.storage_classes.clear(); },
       "pod has unbound immediate PersistentVolumeClaims"},
      {"a driver that publishes no capacity it could mean",
       [](FullWorld& world) {
         world.drivers = {{.name = "d", .publishes_capacity = true}};
         world.capacities = {{.ns = "d", .name = "no-node", .storage_class = "fast", .largest = 50},
                             {.ns = "d",
                              .name = "below-zero",
                              .storage_class = "fast",
                              .nodes = policy::LabelSelector{},
                              .largest = 0}};
       },
       "node(s) did not have enough free storage"},
      {"a claim that is another pod's",
       [](FullWorld& world) {
         world.web.placement.claims[0].is_ephemeral = true;
         world.claim.controller_uid = "uid-low-1";
       },
       "PVC default/data was not created for pod default/web (pod is not owner)"},
      {"a claim that is its own",
       [](FullWorld& world) {
         world.web.placement.claims[0].is_ephemeral = true;
         world.claim.controller_uid = world.claim.uid;
       },
       "PVC default/data was not created for pod default/web (pod is not owner)"},
  };
  for (const NonsenseRow& row : rows) {
    SCOPED_TRACE(row.what);
    FullWorld world;
    row.change(world);
    world.put(world.claim);
    world.start();
    if (!world.drivers.empty()) world.tell(CsiDriversListed{world.drivers, {}});
    if (!world.capacities.empty()) world.tell(StorageCapacitiesListed{world.capacities, {}});
    world.put(world.web);
    if (row.message.empty()) {
      EXPECT_THAT(world.writes(), Contains(StartsWith("delete default/low")));
      continue;
    }
    world.pass(seconds(600));
    const auto writes = world.writes();
    EXPECT_THAT(writes, Not(Contains(StartsWith("mark "))));
    EXPECT_THAT(writes, Not(Contains(StartsWith("delete "))));
    EXPECT_THAT(writes, Not(Contains(StartsWith("bind "))));
    EXPECT_THAT(world.waiting("default/web").message, HasSubstr(row.message));
  }
}

// Two pods' ephemeral claims, each owned by the other pod, and a third owned by a claim.
TEST(BadVolumes, ARingOfOwnersIsRefusedByTheNameOfTheClaim) {
  FullWorld world;
  world.put(test::node(9000));
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::vector<std::string> owners = {"uid-b", "uid-a", "uid-claim-c"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    policy::VolumeClaim claim = world.claim;
    claim.name = "of-" + names[i];
    claim.uid = "uid-claim-" + names[i];
    claim.controller_uid = owners[i];
    world.put(claim);
    policy::Pod pod = world.web;
    pod.name = names[i];
    pod.uid = "uid-" + names[i];
    pod.placement.claims = {{.name = claim.name, .is_ephemeral = true}};
    world.put(pod);
  }
  world.start();
  world.pass(seconds(600));
  EXPECT_THAT(world.writes(), Not(Contains(StartsWith("bind "))));
  for (const std::string& name : names) {
    EXPECT_THAT(world.waiting("default/" + name).message,
                HasSubstr("PVC default/of-" + name + " was not created for pod default/" + name));
  }
}

}  // namespace
}  // namespace elbowroom::scheduler
