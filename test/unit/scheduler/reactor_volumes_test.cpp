// The reactor in mode full: pending pods with claims.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/placing/volume_waits.h"
#include "scheduler/reactor.h"
#include "test/led_reactor.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::PersistentVolume;
using policy::Pod;
using policy::VolumeClaim;
using std::chrono::seconds;
using test::SchedulerWorld;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ReactorOptions placing() {
  ReactorOptions options = SchedulerWorld::usual();
  options.places_for = {"elbowroom"};
  return options;
}

Pod stored_pod(const std::string& name, const std::string& claim, std::int32_t priority = 0) {
  Pod pod = test::running_pod(name, 100, 0, priority);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.scheduler_name = "elbowroom";
  for (policy::Container& each : pod.containers) {
    each.allocated_requests.reset();
    each.actual_requests.reset();
    each.actual_limits.reset();
    each.state = policy::RunState::None;
  }
  pod.placement.claims = {{.name = claim}};
  return pod;
}

VolumeClaim claim_named(const std::string& name) {
  return {.ns = "default",
          .name = name,
          .uid = "uid-" + name,
          .resource_version = "1",
          .storage_class = "local",
          .access_modes = policy::kReadWriteOnce,
          .request = 10};
}

PersistentVolume disk(const std::string& name, const std::string& node = "") {
  PersistentVolume made{.name = name,
                        .uid = "uid-" + name,
                        .resource_version = "1",
                        .storage_class = "local",
                        .access_modes = policy::kReadWriteOnce,
                        .is_available = true,
                        .capacity = 10};
  if (!node.empty()) {
    made.nodes = std::vector<policy::NodeTerm>{
        {.names = {{.key = "metadata.name", .op = policy::NodeOperator::In, .values = {node}}}}};
  }
  return made;
}

policy::StorageClass class_of(const std::string& provisioner) {
  return {.name = "local", .provisioner = provisioner, .waits_for_consumer = true};
}

// What kube-controller-manager does once a volume is chosen.
void bind_claim(SchedulerWorld& world, const std::string& claim, const std::string& volume) {
  PersistentVolume bound = world.volumes.at(volume);
  bound.is_available = false;
  world.put(bound);
  VolumeClaim done = world.claims.at("default/" + claim);
  done.volume = volume;
  done.is_completed = true;
  world.put(done);
}

struct World : SchedulerWorld {
  explicit World(const std::string& provisioner = std::string(policy::kNoProvisioner))
      : SchedulerWorld(placing()) {
    storage_classes = {class_of(provisioner)};
    put(test::node(4000));
    put(test::node(4000, 64 * test::kGi, "node-2"));
  }
};

// A pod whose claim gets a volume of node-2.
void reserve_disk_of_node_2(SchedulerWorld& world) {
  world.put(claim_named("data"));
  world.put(disk("disk-1", "node-2"));
  world.put(stored_pod("web", "data"));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("reserve disk-1 for default/data"));
}

// A pod whose claim gets a volume that is made for node-1.
void select_node_1(SchedulerWorld& world) {
  world.put(claim_named("data"));
  world.put(stored_pod("web", "data"));
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("select node-1 for default/data"));
}

TEST(VolumesReactor, APodIsBoundAfterItsVolume) {
  World world;
  reserve_disk_of_node_2(world);
  world.pass(seconds(100));
  EXPECT_THAT(world.writes(), IsEmpty()) << "the claim is not bound yet";
  bind_claim(world, "data", "disk-1");
  EXPECT_THAT(world.writes(), ElementsAre("bind default/web to node-2"));
  EXPECT_EQ(world.reactor().state().volume_bindings.size(), 0U);
}

TEST(VolumesReactor, TwoPodsNeverChooseOneVolume) {
  World world;
  world.put(claim_named("a"));
  world.put(claim_named("b"));
  world.put(disk("disk-1", "node-1"));
  world.put(stored_pod("first", "a", 10));
  world.put(stored_pod("second", "b"));
  world.keeps_back = "reserve";  // the watch shows nothing yet
  world.start();
  EXPECT_THAT(world.writes(), Contains("tell default/second"));
  EXPECT_THAT(world.waiting("default/second").message,
              HasSubstr("2 node(s) didn't find available persistent volumes to bind"));
  // One more volume helps it.
  world.put(disk("disk-2", "node-2"));
  world.pass(seconds(10));
  EXPECT_EQ(world.reactor().state().volume_bindings.size(), 2U);
}

TEST(VolumesReactor, AVolumeIsMadeForTheNodeOfThePod) {
  World world("csi.example.com");
  select_node_1(world);
  world.put(disk("made", "node-1"));
  bind_claim(world, "data", "made");
  EXPECT_THAT(world.writes(), ElementsAre("bind default/web to node-1"));
}

TEST(VolumesReactor, WhereNoVolumeCanBeMadeThePodIsPlacedAgain) {
  World world("csi.example.com");
  select_node_1(world);
  // The provisioner takes the annotation away.
  VolumeClaim claim = world.claims.at("default/data");
  claim.selected_node.reset();
  world.put(claim);
  EXPECT_THAT(world.waiting("default/web").message,
              HasSubstr("no volume could be made for claim default/data on node node-1"));
  EXPECT_EQ(world.reactor().state().cluster.assume_cache().size(), 0U);
  world.pass(seconds(5));
  EXPECT_THAT(world.writes(), Contains("select node-1 for default/data"));
}

TEST(VolumesReactor, AnotherClaimOfThatNameIsNotTheOneThatWasChosenFor) {
  World world("csi.example.com");
  select_node_1(world);
  VolumeClaim another = claim_named("data");
  another.uid = "uid-another";
  world.put(another);
  EXPECT_THAT(world.waiting("default/web").message,
              HasSubstr("claim default/data does not exist any more"));
}

// As after a restart, or where another pod has asked for the same volume.
TEST(VolumesReactor, AnAnnotationThatWasThereBeforeMayBeTakenAwayToo) {
  World world("csi.example.com");
  VolumeClaim claim = claim_named("data");
  claim.selected_node = "node-1";
  world.put(claim);
  world.put(stored_pod("web", "data"));
  world.start();
  EXPECT_EQ(world.reactor().state().volume_bindings.size(), 1U);
  EXPECT_THAT(world.writes(), IsEmpty());
  claim.selected_node.reset();
  world.put(claim);
  EXPECT_THAT(world.waiting("default/web").message,
              HasSubstr("no volume could be made for claim default/data on node node-1"));
}

TEST(VolumesReactor, WhereTheNodeGoesThePodIsPlacedElsewhere) {
  World world;
  world.put(claim_named("data"));
  world.put(disk("disk-1"));
  world.put(stored_pod("web", "data"));
  world.start();
  const std::string node = world.reactor().state().cluster.assume_cache().bound_to(
      "default/web", world.pod("default/web").uid);
  world.tell(NodeGone{node, ""});
  EXPECT_THAT(world.done(), Contains(HasSubstr("node " + node + " does not exist any more")));
}

TEST(VolumesReactor, ANodeThatShrankMeanwhileDoesNotGetThePod) {
  World world;
  reserve_disk_of_node_2(world);
  world.put(test::node(50, 64 * test::kGi, "node-2"));
  bind_claim(world, "data", "disk-1");
  EXPECT_THAT(world.waiting("default/web").message, HasSubstr("1 Insufficient cpu"));
  EXPECT_EQ(world.reactor().state().cluster.assume_cache().size(), 0U);
  (void)world.writes();
  world.put(test::node(4000, 64 * test::kGi, "node-2"));
  world.pass(seconds(10));
  EXPECT_THAT(world.writes(), Contains("bind default/web to node-2"));
}

// Nothing was sent: the binding is not one that may have been done.
TEST(VolumesReactor, ANodeThatBecameUnclearMeanwhileDoesNotKeepThePod) {
  World world("csi.example.com");
  select_node_1(world);
  world.tell(Unreadable{
      .kind = "Pod", .key = "default/odd", .why = "too deep", .uid = "odd", .node = "node-1"});
  world.put(disk("made"));  // it can be used anywhere
  bind_claim(world, "data", "made");
  world.pass(seconds(2));
  EXPECT_THAT(world.writes(), Contains("bind default/web to node-2"));
}

// It is on no node, so nothing is removed for the room that it was promised.
TEST(VolumesReactor, APodThatWaitsForItsVolumesGivesWay) {
  World world;
  world.put(test::node(1000));
  world.put(test::node(50, 64 * test::kGi, "node-2"));
  world.put(claim_named("data"));
  world.put(disk("disk-1", "node-1"));
  Pod waits = stored_pod("waits", "data");
  waits.containers.front().desired.requests = test::amounts(800);
  world.put(waits);
  world.start();
  EXPECT_THAT(world.writes(), ElementsAre("reserve disk-1 for default/data"));
  Pod vital = stored_pod("vital", "", 100);
  vital.placement.claims.clear();
  vital.containers.front().desired.requests = test::amounts(900);
  world.put(vital);
  EXPECT_THAT(world.done(), Contains(HasSubstr("bind default/vital to node-1")));
  EXPECT_THAT(world.waiting("default/waits").message, HasSubstr("the room is for default/vital"));
  EXPECT_EQ(world.reactor().state().volume_bindings.size(), 0U);
  world.pass(seconds(60));
  EXPECT_THAT(world.done(), testing::Not(Contains(HasSubstr("delete"))));
  EXPECT_THAT(world.waiting("default/waits").message, HasSubstr("Insufficient cpu"));
}

TEST(VolumesReactor, APodWithoutItsClaimIsLookedAtOnlyForItsClaim) {
  World world;
  world.put(stored_pod("web", "data"));
  world.put(test::running_pod("other", 100));
  world.start();
  const auto turns = [&] { return world.reactor().counts().turns; };
  const auto before = turns();
  for (int i = 0; i < 5; ++i) {
    world.put(test::running_pod("other", 100 + 10 * (5 - i)));
    world.put(test::node(4000 + i));
    world.pass(seconds(15));
  }
  EXPECT_EQ(turns(), before);
  world.put(claim_named("data"));
  EXPECT_NE(turns(), before);
}

TEST(VolumesReactor, AClaimMayBeShownBoundBeforeItsVolumeIsShown) {
  World world("csi.example.com");
  select_node_1(world);
  VolumeClaim claim = world.claims.at("default/data");
  claim.volume = "made";
  claim.is_completed = true;
  world.put(claim);
  EXPECT_THAT(world.writes(), IsEmpty());
  PersistentVolume made = disk("made", "node-2");
  made.is_available = false;
  made.claim = policy::ClaimRef{.ns = "default", .name = "data", .uid = "uid-data"};
  world.put(made);
  EXPECT_THAT(world.done(), Contains(HasSubstr("volume made cannot be used on node node-1")));
  world.pass(seconds(5));
  EXPECT_THAT(world.writes(), Contains("bind default/web to node-2"));
}

// A late answer to a write of the first try is not about the second.
TEST(VolumesReactor, AFailureIsThatOfItsTry) {
  policy::ClusterRoom room;
  room.put(test::node(4000));
  room.volumes().put(claim_named("data"));
  room.volumes().put(disk("disk-1"));
  const policy::VolumePlan plan{.bindings = {{.claim = "default/data", .volume = "disk-1"}}};
  VolumeBindings bindings;
  const auto begin = [&] {
    return bindings.begin("default/web", "uid-web", "node-1", plan, room.volumes(), seconds(0));
  };
  const std::uint64_t first = begin();
  const std::uint64_t second = begin();
  const auto state = [&] { return bindings.look("default/web", room, seconds(0)).state; };
  bindings.failed("default/web", first, "it timed out");
  EXPECT_EQ(state(), VolumeBindings::State::Waits);
  bindings.failed("default/web", second, "it timed out");
  EXPECT_EQ(state(), VolumeBindings::State::Failed);
}

TEST(VolumesReactor, AGangWaitsUntilVolumesAreFollowed) {
  World world;
  world.put(claim_named("data"));
  world.put(policy::PodGroup{
      .ns = "default", .name = "gang", .standing = {.uid = "group-gang", .min_count = 1}});
  world.start();
  world.tell(Lost{Collection::CsiNodes, "forbidden"});
  Pod pod = stored_pod("member", "data");
  pod.scheduling_group = "gang";
  world.put(pod);
  EXPECT_THAT(world.done(), Contains(HasSubstr("CSINodes are not followed: forbidden")));
  world.tell(Back{Collection::CsiNodes});
  world.pass(seconds(5));
  EXPECT_THAT(world.done(), Contains(HasSubstr("are not supported")));
}

TEST(VolumesReactor, ARefusedWriteIsTriedAgain) {
  World world;
  world.put(claim_named("data"));
  world.put(disk("disk-1"));
  world.put(stored_pod("web", "data"));
  int times = 0;
  world.refuse = [&](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("reserve") || ++times > 1) return std::nullopt;
    return Error{Code::Conflict, "it was changed", {}};
  };
  world.start();
  EXPECT_THAT(world.waiting("default/web").message, HasSubstr("it was changed"));
  world.pass(seconds(5));
  EXPECT_THAT(world.writes(), Contains("reserve disk-1 for default/data"));
  EXPECT_EQ(times, 2);
}

TEST(VolumesReactor, ThePodIsGivenUpAfterTenMinutesAndTriedAgain) {
  World world;
  world.put(claim_named("data"));
  world.put(disk("disk-1", "node-1"));
  world.put(stored_pod("web", "data"));
  world.start();
  world.pass(seconds(599));
  EXPECT_EQ(world.reactor().state().cluster.assume_cache().size(), 1U);
  world.pass(seconds(2));
  EXPECT_THAT(world.done(), Contains(HasSubstr("its claims were not bound in time")));
}

TEST(VolumesReactor, APodThatGoesGivesItsChoiceBack) {
  World world;
  world.put(claim_named("data"));
  world.put(disk("disk-1"));
  world.put(stored_pod("web", "data"));
  world.keeps_back = "reserve";
  world.start();
  EXPECT_EQ(world.reactor().state().volume_bindings.size(), 1U);
  Pod going = world.pod("default/web");
  going.deletion = world.wall();
  world.put(going);
  EXPECT_EQ(world.reactor().state().volume_bindings.size(), 0U);
  EXPECT_EQ(world.reactor().state().cluster.assume_cache().size(), 0U);
}

TEST(VolumesReactor, AClaimWakesThePodThatNamesIt) {
  World world;
  world.put(stored_pod("web", "data"));
  world.start();
  EXPECT_THAT(world.waiting("default/web").message,
              HasSubstr("persistentvolumeclaim \"data\" not found"));
  (void)world.done();
  PersistentVolume volume = disk("disk-1", "node-2");
  volume.claim = policy::ClaimRef{.ns = "default", .name = "data", .uid = "uid-data"};
  volume.is_available = false;
  world.put(volume);
  VolumeClaim claim = claim_named("data");
  claim.volume = "disk-1";
  claim.is_completed = true;
  world.put(claim);
  EXPECT_THAT(world.writes(), Contains("bind default/web to node-2"))
      << (world.reactor().waiting().contains("default/web") ? world.waiting("default/web").message
                                                            : "");
}

TEST(VolumesReactor, OnlyPodsWithClaimsWaitForTheirLists) {
  World world;
  world.put(stored_pod("web", "data"));
  Pod plain = stored_pod("plain", "");
  plain.placement.claims.clear();
  world.put(plain);
  world.start();
  world.tell(Lost{Collection::Claims, "forbidden"});
  Pod late = plain;
  late.name = late.uid = "late";
  world.put(late);
  EXPECT_THAT(world.writes(), Contains("bind default/late to node-2"));
  world.put(stored_pod("other", "data"));
  EXPECT_EQ(world.waiting("default/other").message, "claims are not followed: forbidden");
  world.tell(Back{Collection::Claims});
  EXPECT_THAT(world.waiting("default/other").message, HasSubstr("not found"));
}

// ---- which change helps which pod ----

struct WakeRow {
  std::string what;
  VolumeWaits::Woken (*change)(const VolumeWaits& waits);
  std::string at_once;
  std::string later;
};

std::string joined(const std::set<std::string, std::less<>>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : " ") + each;
  return text;
}

// Pod "unbound" waits with a claim of class local, "bound" with one that is bound, "other" with one
// of class fast.
TEST(VolumeWaitsTable, EachChangeWakesWhatItCouldHelp) {
  policy::VolumeRoom room;
  VolumeClaim bound = claim_named("b");
  bound.volume = "disk-b";
  bound.is_completed = true;
  VolumeClaim other = claim_named("c");
  other.storage_class = "fast";
  room.put(claim_named("a"));
  room.put(bound);
  room.put(other);
  VolumeWaits waits;
  waits.note(stored_pod("unbound", "a"), room);
  waits.note(stored_pod("bound", "b"), room);
  waits.note(stored_pod("other", "c"), room);
  const std::string all = "default/bound default/other default/unbound";
  const std::vector<WakeRow> rows = {
      {"a claim came", [](const VolumeWaits& w) { return w.by(nullptr, claim_named("a")); },
       "default/unbound", ""},
      {"a claim is as it was",
       [](const VolumeWaits& w) {
         VolumeClaim before = claim_named("a");
         before.resource_version = "0";
         return w.by(&before, claim_named("a"));
       },
       "", ""},
      {"a claim of no pod", [](const VolumeWaits& w) { return w.by(nullptr, claim_named("x")); },
       "", ""},
      {"a free volume", [](const VolumeWaits& w) { return w.by(nullptr, disk("d")); }, "",
       "default/unbound"},
      {"a volume of a claim",
       [](const VolumeWaits& w) {
         PersistentVolume of = disk("d");
         of.claim = policy::ClaimRef{.ns = "default", .name = "b"};
         return w.by(nullptr, of);
       },
       "default/bound", ""},
      {"a class", [](const VolumeWaits& w) { return w.by(nullptr, class_of("x")); }, "",
       "default/unbound"},
      {"a CSINode that came",
       [](const VolumeWaits& w) { return w.by(nullptr, policy::CsiNode{.name = "n"}); }, "", ""},
      {"a limit that shrank",
       [](const VolumeWaits& w) {
         const policy::CsiNode before{.name = "n", .limits = {{"d", 5}}};
         return w.by(&before, policy::CsiNode{.name = "n", .limits = {{"d", 4}}});
       },
       "", ""},
      {"a limit that grew",
       [](const VolumeWaits& w) {
         const policy::CsiNode before{.name = "n", .limits = {{"d", 5}}};
         return w.by(&before, policy::CsiNode{.name = "n", .limits = {{"d", 6}}});
       },
       "", all},
      {"a driver that publishes no more",
       [](const VolumeWaits& w) {
         const policy::CsiDriver before{.name = "d", .publishes_capacity = true};
         return w.by(&before, policy::CsiDriver{.name = "d"});
       },
       "", all},
      {"less capacity",
       [](const VolumeWaits& w) {
         const policy::StorageCapacity before{.name = "s", .storage_class = "fast", .largest = 5};
         return w.by(&before,
                     policy::StorageCapacity{.name = "s", .storage_class = "fast", .largest = 4});
       },
       "", ""},
      {"more capacity",
       [](const VolumeWaits& w) {
         const policy::StorageCapacity before{.name = "s", .storage_class = "fast", .largest = 5};
         return w.by(&before,
                     policy::StorageCapacity{.name = "s", .storage_class = "fast", .largest = 6});
       },
       "", "default/other"},
  };
  for (const WakeRow& row : rows) {
    const VolumeWaits::Woken woken = row.change(waits);
    EXPECT_EQ(joined(woken.at_once), row.at_once) << row.what;
    EXPECT_EQ(joined(woken.later), row.later) << row.what;
  }
  waits.forget("default/unbound");
  waits.forget("default/bound");
  waits.forget("default/other");
  EXPECT_EQ(waits.size(), 0U);
}

}  // namespace
}  // namespace elbowroom::scheduler
