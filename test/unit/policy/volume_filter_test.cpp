#include "policy/placement/volume_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/placement/schedule.h"
#include "test/cluster_world.h"

namespace elbowroom::policy {
namespace {

using test::answer_of;
using test::ClusterWorld;
using test::names_of;
using testing::HasSubstr;
using testing::StartsWith;

constexpr NodeCode kNever = NodeCode::UnschedulableAndUnresolvable;
constexpr std::string_view kInUse =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod";
constexpr std::string_view kNoVolume = "node(s) didn't find available persistent volumes to bind";
constexpr std::string_view kOtherNode = "node(s) didn't match PersistentVolume's node affinity";
constexpr std::string_view kTooMany = "node(s) exceed max volume count";

std::vector<NodeTerm> on_node(const std::string& name) {
  return {
      {.labels = {{.key = "kubernetes.io/hostname", .op = NodeOperator::In, .values = {name}}}}};
}

// Claim "c" of class "local", bound to volume "v"; both exist.
VolumeClaim bound_claim(const std::string& name = "c", const std::string& volume = "v") {
  return {.ns = "default",
          .name = name,
          .uid = name,
          .storage_class = "local",
          .volume = volume,
          .access_modes = kReadWriteOnce,
          .request = 10,
          .is_completed = true};
}
VolumeClaim unbound_claim(const std::string& name = "c", std::int64_t size = 10) {
  VolumeClaim made = bound_claim(name, "");
  made.request = size;
  made.is_completed = false;
  return made;
}
PersistentVolume bound_volume(const std::string& name = "v", const std::string& claim = "c") {
  return {.name = name,
          .storage_class = "local",
          .access_modes = kReadWriteOnce,
          .capacity = 10,
          .claim = ClaimRef{.ns = "default", .name = claim, .uid = claim}};
}
PersistentVolume free_volume(const std::string& name, const std::string& node,
                             std::int64_t size = 10) {
  PersistentVolume made = bound_volume(name);
  made.claim.reset();
  made.is_available = true;
  made.capacity = size;
  made.nodes = on_node(node);
  return made;
}
StorageClass waiting_class(const std::string& provisioner = std::string(kNoProvisioner)) {
  return {.name = "local", .provisioner = provisioner, .waits_for_consumer = true};
}

// Two nodes, a and b; a pod with the claim "c".
struct VolumeWorld : ClusterWorld {
  VolumeWorld() {
    node("a", 1000);
    node("b", 1000);
    pod.placement.claims = {{.name = "c"}};
  }
  Pod pod = pending("web", 100, 400);

  // Its answers, "a: REASON" for nodes that refuse.
  [[nodiscard]] std::string answers() const {
    std::string text;
    for (const NodeAnswer& each : ask(pod).nodes) {
      if (each.code == NodeCode::Success) continue;
      for (const std::string& reason : each.reasons) {
        text += (text.empty() ? "" : "; ") + each.node + ": " + reason;
      }
    }
    return text;
  }
};

std::string both(std::string_view reason) {
  return "a: " + std::string(reason) + "; b: " + std::string(reason);
}
std::string only(std::string_view node, std::string_view reason) {
  return std::string(node) + ": " + std::string(reason);
}

// ---- what holds for all nodes, and volumes that are bound ----

struct ClaimRow {
  std::string what;
  void (*change)(VolumeWorld& world);
  std::string answers;
};

const std::vector<ClaimRow>& claim_rows() {
  static const std::vector<ClaimRow> rows = {
      {"no claim", [](VolumeWorld&) {}, both("persistentvolumeclaim \"c\" not found")},
      {"no ephemeral claim yet",
       [](VolumeWorld& w) { w.pod.placement.claims = {{.name = "web-c", .is_ephemeral = true}}; },
       both("waiting for ephemeral volume controller to create the persistentvolumeclaim "
            "\"web-c\"")},
      {"an ephemeral claim of another pod",
       [](VolumeWorld& w) {
         w.pod.placement.claims = {{.name = "c", .is_ephemeral = true}};
         w.volumes.claims = {bound_claim()};
         w.volumes.claims[0].controller_uid = "another";
         w.volumes.volumes = {bound_volume()};
       },
       both("PVC default/c was not created for pod default/web (pod is not owner)")},
      {"an ephemeral claim of its own",
       [](VolumeWorld& w) {
         w.pod.placement.claims = {{.name = "c", .is_ephemeral = true}};
         w.volumes.claims = {bound_claim()};
         w.volumes.claims[0].controller_uid = w.pod.uid;
         w.volumes.volumes = {bound_volume()};
       },
       ""},
      {"a lost claim",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.claims[0].is_lost = true;
       },
       both("persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\"")},
      {"a claim that is being deleted",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.claims[0].is_terminating = true;
         w.volumes.volumes = {bound_volume()};
       },
       both("persistentvolumeclaim \"c\" is being deleted")},
      {"the first missing claim is named, before one that is lost",
       [](VolumeWorld& w) {
         w.pod.placement.claims = {{.name = "c"}, {.name = "d"}};
         w.volumes.claims = {bound_claim()};
         w.volumes.claims[0].is_lost = true;
       },
       both("persistentvolumeclaim \"d\" not found")},
      {"a volume that does not exist", [](VolumeWorld& w) { w.volumes.claims = {bound_claim()}; },
       both("persistentvolume \"v\" not found")},
      {"a volume of an ephemeral claim that does not exist",
       [](VolumeWorld& w) {
         w.pod.placement.claims = {{.name = "c", .is_ephemeral = true}};
         w.volumes.claims = {bound_claim()};
         w.volumes.claims[0].controller_uid = w.pod.uid;
       },
       both("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")},
      {"unbound, of a class that binds at once",
       [](VolumeWorld& w) {
         w.volumes.claims = {unbound_claim()};
         w.volumes.classes = {waiting_class()};
         w.volumes.classes[0].waits_for_consumer = false;
       },
       both("pod has unbound immediate PersistentVolumeClaims")},
      {"unbound, of a class that does not exist",
       [](VolumeWorld& w) { w.volumes.claims = {unbound_claim()}; },
       both("pod has unbound immediate PersistentVolumeClaims")},
      {"a volume was chosen, and is not bound yet",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.claims[0].is_completed = false;
         w.volumes.classes = {waiting_class()};
         w.volumes.volumes = {bound_volume()};
       },
       both("pod has unbound immediate PersistentVolumeClaims")},
      {"bound, usable everywhere",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.volumes = {bound_volume()};
       },
       ""},
      {"bound to one node",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.volumes = {bound_volume()};
         w.volumes.volumes[0].nodes = on_node("b");
       },
       only("a", kOtherNode)},
      {"bound to one node, by its name",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.volumes = {bound_volume()};
         w.volumes.volumes[0].nodes = std::vector<NodeTerm>{
             {.names = {{.key = "metadata.name",
                         .op = NodeOperator::In,
                         .values = {"a name longer than any text that is kept in place", "b"}}}}};
       },
       only("a", kOtherNode)},
      {"bound, and its affinity has no terms",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.volumes = {bound_volume()};
         w.volumes.volumes[0].nodes.emplace();
       },
       both(kOtherNode)},
      {"too little cpu is told before volumes",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.volumes = {bound_volume()};
         w.volumes.volumes[0].nodes = on_node("b");
         w.nodes[0].allocatable.cpu.value = 100;
       },
       only("a", "Insufficient cpu")},
      {"a zone by label, old name, several zones",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.volumes = {bound_volume()};
         w.volumes.volumes[0].labels = {{"failure-domain.beta.kubernetes.io/zone", "z1__z3"}};
         w.nodes[0].labels["topology.kubernetes.io/zone"] = "z2";
         w.nodes[1].labels["topology.kubernetes.io/zone"] = "z3";
       },
       only("a", "node(s) had no available volume zone")},
      {"a zone, and a node without any",
       [](VolumeWorld& w) {
         w.volumes.claims = {bound_claim()};
         w.volumes.volumes = {bound_volume()};
         w.volumes.volumes[0].labels = {{"topology.kubernetes.io/zone", "z1"}};
         w.nodes[0].labels["topology.kubernetes.io/region"] = "r";
       },
       only("a", "node(s) had no available volume zone")},
      {"two claims, of different nodes",
       [](VolumeWorld& w) {
         w.pod.placement.claims = {{.name = "c"}, {.name = "d"}};
         w.volumes.claims = {bound_claim(), bound_claim("d", "w")};
         w.volumes.volumes = {bound_volume(), bound_volume("w", "d")};
         w.volumes.volumes[0].nodes = on_node("a");
         w.volumes.volumes[1].nodes = on_node("b");
       },
       both(kOtherNode)},
  };
  return rows;
}

TEST(Volumes, ClaimsAndBoundVolumesRefuseInUpstreamsWords) {
  for (const ClaimRow& row : claim_rows()) {
    VolumeWorld world;
    row.change(world);
    EXPECT_EQ(world.answers(), row.answers) << row.what;
  }
}

TEST(Volumes, WhatSpeaksAgainstAllNodesIsToldOnce) {
  VolumeWorld world;
  EXPECT_THAT(world.ask(world.pod).message,
              StartsWith("0/2 nodes are available: persistentvolumeclaim \"c\" not found. "));
  EXPECT_EQ(answer_of(world.ask(world.pod), "a").code, kNever);
}

// ---- claims that wait for their first consumer ----

const std::vector<ClaimRow>& unbound_rows() {
  static const std::vector<ClaimRow> rows = {
      {"no volume", [](VolumeWorld&) {}, both(kNoVolume)},
      {"a volume of one node", [](VolumeWorld& w) { w.volumes.volumes = {free_volume("v", "b")}; },
       only("a", kNoVolume)},
      {"too small", [](VolumeWorld& w) { w.volumes.volumes = {free_volume("v", "b", 9)}; },
       both(kNoVolume)},
      {"reserved for another claim",
       [](VolumeWorld& w) {
         w.volumes.volumes = {free_volume("v", "b")};
         w.volumes.volumes[0].claim = ClaimRef{.ns = "default", .name = "d"};
       },
       both(kNoVolume)},
      {"reserved for it, though it is not available",
       [](VolumeWorld& w) {
         w.volumes.volumes = {free_volume("u", "a"), free_volume("v", "b")};
         w.volumes.volumes[1].claim = ClaimRef{.ns = "default", .name = "c"};
         w.volumes.volumes[1].is_available = false;
       },
       only("a", kNoVolume)},
      {"being deleted",
       [](VolumeWorld& w) {
         w.volumes.volumes = {free_volume("v", "b")};
         w.volumes.volumes[0].is_terminating = true;
       },
       both(kNoVolume)},
      {"another class",
       [](VolumeWorld& w) {
         w.volumes.volumes = {free_volume("v", "b")};
         w.volumes.volumes[0].storage_class = "other";
       },
       both(kNoVolume)},
      {"another mode of access",
       [](VolumeWorld& w) {
         w.volumes.volumes = {free_volume("v", "b")};
         w.volumes.claims[0].access_modes = kReadWriteOnce | kReadWriteMany;
       },
       both(kNoVolume)},
      {"a block device",
       [](VolumeWorld& w) {
         w.volumes.volumes = {free_volume("v", "b")};
         w.volumes.volumes[0].is_block = true;
       },
       both(kNoVolume)},
      {"the claim's selector",
       [](VolumeWorld& w) {
         w.volumes.volumes = {free_volume("u", "a"), free_volume("v", "b")};
         w.volumes.volumes[1].labels = {{"disk", "fast"}};
         w.volumes.claims[0].selector = LabelSelector{.match_labels = {{"disk", "fast"}}};
       },
       only("a", kNoVolume)},
      {"two claims, one volume",
       [](VolumeWorld& w) {
         w.pod.placement.claims = {{.name = "c"}, {.name = "d"}};
         w.volumes.claims.push_back(unbound_claim("d"));
         w.volumes.volumes = {free_volume("v", "a"), free_volume("w", "b"), free_volume("x", "b")};
       },
       only("a", kNoVolume)},
      {"a driver makes it anywhere",
       [](VolumeWorld& w) { w.volumes.classes[0].provisioner = "csi.example.com"; }, ""},
      {"the class allows one node",
       [](VolumeWorld& w) {
         w.volumes.classes[0].provisioner = "csi.example.com";
         w.volumes.classes[0].topologies = on_node("a");
       },
       only("b", kNoVolume)},
      {"the claim was given to a node",
       [](VolumeWorld& w) {
         w.volumes.classes[0].provisioner = "csi.example.com";
         w.volumes.claims[0].selected_node = "b";
       },
       only("a", kNoVolume)},
      {"the driver publishes capacity, and there is none",
       [](VolumeWorld& w) {
         w.volumes.classes[0].provisioner = "csi.example.com";
         w.volumes.drivers = {{.name = "csi.example.com", .publishes_capacity = true}};
       },
       both("node(s) did not have enough free storage")},
      {"enough on one node, too little on the other, malformed everywhere",
       [](VolumeWorld& w) {
         w.volumes.classes[0].provisioner = "csi.example.com";
         w.volumes.drivers = {{.name = "csi.example.com", .publishes_capacity = true}};
         const auto on = [](const std::string& node) {
           return LabelSelector{.match_labels = {{"kubernetes.io/hostname", node}}};
         };
         w.volumes.capacities = {
             {.ns = "d", .name = "1", .storage_class = "local", .nodes = on("a"), .largest = 10},
             {.ns = "d", .name = "2", .storage_class = "local", .nodes = on("b"), .largest = 9},
             {.ns = "d", .name = "3", .storage_class = "other", .nodes = on("b"), .largest = 10},
             {.ns = "d", .name = "4", .storage_class = "local", .largest = 10},
             {.ns = "d", .name = "5", .storage_class = "local", .nodes = LabelSelector{}}};
       },
       only("b", "node(s) did not have enough free storage")},
  };
  return rows;
}

TEST(Volumes, UnboundClaimsNeedAVolumeOnTheNode) {
  for (const ClaimRow& row : unbound_rows()) {
    VolumeWorld world;
    world.volumes.claims = {unbound_claim()};
    world.volumes.classes = {waiting_class()};
    row.change(world);
    EXPECT_EQ(world.answers(), row.answers) << row.what;
  }
}

TEST(Volumes, TheSmallestThatFitsIsChosenAndTheSmallestClaimFirst) {
  VolumeWorld world;
  world.pod.placement.claims = {{.name = "c"}, {.name = "d"}};
  world.volumes.claims = {unbound_claim("c", 20), unbound_claim("d", 10)};
  world.volumes.classes = {waiting_class()};
  world.volumes.volumes = {free_volume("v30", "a", 30), free_volume("v25", "a", 25),
                           free_volume("v12", "a", 12), free_volume("v12b", "a", 12)};
  const SchedulingDecision decision = world.ask(world.pod);
  EXPECT_EQ(decision.node, "a");
  const VolumePlan expected{.bindings = {{"default/d", "v12"}, {"default/c", "v25"}}};
  EXPECT_EQ(decision.volumes, expected);
}

TEST(Volumes, WhatNoVolumeFitsIsMadeForTheNode) {
  VolumeWorld world;
  world.volumes.claims = {unbound_claim()};
  world.volumes.classes = {waiting_class("csi.example.com")};
  EXPECT_EQ(world.ask(world.pod).volumes, (VolumePlan{.provisions = {"default/c"}}));
}

// ---- ReadWriteOncePod ----

TEST(Volumes, AClaimOfOnePodIsRefusedWhileAnotherUsesIt) {
  VolumeWorld world;
  world.volumes.claims = {bound_claim()};
  world.volumes.claims[0].access_modes = kReadWriteOncePod;
  world.volumes.volumes = {bound_volume()};
  EXPECT_EQ(world.answers(), "");
  world.runs("user", "b", 200, 100).placement.claims = {{.name = "c"}};
  EXPECT_EQ(world.answers(), both(kInUse));
  EXPECT_EQ(world.ask(world.pod).result, SchedulingResult::Unschedulable) << "it is more important";
  // A less important one is removed, on its own node.
  world.pods[0].priority = 50;
  const SchedulingDecision decision = world.ask(world.pod);
  EXPECT_EQ(decision.result, SchedulingResult::Preempt);
  EXPECT_EQ(decision.node, "b");
  EXPECT_EQ(names_of(decision.victims), std::set<std::string>{"user"});
  EXPECT_THAT(decision.victims[0].why, HasSubstr(std::string(kInUse)));
  // It leaves already.
  test::terminate(world.pods[0], world.now, 20);
  EXPECT_EQ(world.ask(world.pod).result, SchedulingResult::AwaitingVictims);
}

TEST(Volumes, AClaimOfOnePodIsKeptForAMoreImportantPodThatIsNominated) {
  VolumeWorld world;
  world.volumes.claims = {bound_claim()};
  world.volumes.claims[0].access_modes = kReadWriteOncePod;
  world.volumes.volumes = {bound_volume()};
  world.waits("before", 200, 100, "b").placement.claims = {{.name = "c"}};
  EXPECT_EQ(world.answers(), only("b", kInUse));
}

// ---- limits of drivers ----

TEST(Volumes, NodesTakeAsManyVolumesOfADriverAsItSays) {
  VolumeWorld world;
  const auto csi = [](const std::string& name, const std::string& claim) {
    PersistentVolume made = bound_volume(name, claim);
    made.driver = "csi.example.com";
    made.handle = "handle-" + name;
    return made;
  };
  world.volumes.claims = {bound_claim(), bound_claim("d", "w"), bound_claim("e", "x")};
  world.volumes.volumes = {csi("v", "c"), csi("w", "d"), csi("x", "e")};
  world.volumes.csi_nodes = {{.name = "a", .limits = {{"csi.example.com", 1}}},
                             {.name = "b", .limits = {{"another", 0}}}};
  EXPECT_EQ(world.answers(), "");
  world.runs("user", "a", 50, 100).placement.claims = {{.name = "d"}};
  EXPECT_EQ(world.answers(), only("a", kTooMany));
  // A volume that is there already is not counted again.
  world.pods[0].placement.claims = {{.name = "c"}};
  EXPECT_EQ(world.answers(), "");
  world.pod.placement.claims = {{.name = "c"}, {.name = "e"}};
  EXPECT_EQ(world.answers(), only("a", kTooMany));
  // The less important pod is removed where no other node would do.
  world.nodes[1].unschedulable = true;
  world.pod.placement.claims = {{.name = "e"}};
  world.pods[0].placement.claims = {{.name = "d"}};
  EXPECT_EQ(names_of(world.ask(world.pod).victims), std::set<std::string>{"user"});
  // Negative limits of a driver are decoded as 0, and then removing pods does not help.
  world.volumes.csi_nodes[0].limits = {{"csi.example.com", 0}};
  EXPECT_EQ(world.ask(world.pod).result, SchedulingResult::Unschedulable);
}

TEST(Volumes, VolumesThatAreToBeMadeCountToo) {
  VolumeWorld world;
  world.volumes.claims = {unbound_claim(), unbound_claim("d")};
  world.volumes.classes = {waiting_class("csi.example.com")};
  world.volumes.csi_nodes = {{.name = "a", .limits = {{"csi.example.com", 1}}}};
  world.runs("user", "a", 200, 100).placement.claims = {{.name = "d"}};
  EXPECT_EQ(world.answers(), only("a", kTooMany));
  // Only the ephemeral claim of the pod itself counts for it.
  world.pods[0].placement.claims[0].is_ephemeral = true;
  EXPECT_EQ(world.answers(), "");
  world.volumes.claims[1].controller_uid = "user";
  EXPECT_EQ(world.answers(), only("a", kTooMany));
}

}  // namespace
}  // namespace elbowroom::policy
