// The reactor in mode full: gangs, and pods of groups as victims.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "policy/model/removal_mark.h"
#include "scheduler/reactor.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::DisruptionMode;
using policy::Pod;
using policy::PodGroup;
using std::chrono::seconds;
using test::node;
using test::running_pod;
using test::SchedulerWorld;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

ReactorOptions full() {
  ReactorOptions options = SchedulerWorld::usual();
  options.places_for = {"elbowroom"};
  return options;
}

PodGroup group(const std::string& name, std::int32_t priority,
               std::optional<std::int32_t> min_count,
               DisruptionMode mode = DisruptionMode::Single) {
  return {.ns = "default",
          .name = name,
          .standing = {
              .uid = "group-" + name, .priority = priority, .mode = mode, .min_count = min_count}};
}

Pod member(const std::string& name, const std::string& of, std::int64_t cpu_m) {
  Pod pod = running_pod(name, cpu_m);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.scheduler_name = "elbowroom";
  pod.scheduling_group = of;
  for (policy::Container& each : pod.containers) {
    each.allocated_requests.reset();
    each.actual_requests.reset();
    each.actual_limits.reset();
    each.state = policy::RunState::None;
  }
  return pod;
}

Pod runs(const std::string& name, const std::string& on, std::int64_t cpu_m,
         const std::string& of = "") {
  Pod pod = running_pod(name, cpu_m);
  pod.node = on;
  pod.scheduling_group = of;
  return pod;
}

std::vector<std::string> writes_of(SchedulerWorld& world, const std::string& begin) {
  std::vector<std::string> writes = world.writes();
  std::erase_if(writes, [&](const std::string& each) { return !each.starts_with(begin); });
  return writes;
}

// Two nodes of 1 cpu.
struct Two {
  SchedulerWorld world{full()};
  Two() {
    world.put(node(1000));
    world.put(node(1000, 64 * test::kGi, "node-2"));
  }
};

TEST(GangReactor, BindsAllMembersAndSaysSo) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  EXPECT_THAT(writes_of(two.world, "bind "),
              UnorderedElementsAre("bind default/a to node-1", "bind default/b to node-2"));
  two.world.pass(seconds(1));
  EXPECT_THAT(two.world.done(),
              Contains("tell group default/train PodGroupInitiallyScheduled=True"));
  two.world.pass(seconds(60));
  EXPECT_THAT(two.world.done(), IsEmpty());
  EXPECT_TRUE(two.world.reactor().waiting().empty());
}

TEST(GangReactor, WaitsForMinCountAndForItsGroup) {
  Two two;
  two.world.put(member("a", "train", 600));
  two.world.start();
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty());
  EXPECT_THAT(two.world.waiting("default/a").message,
              HasSubstr("pod group default/train does not exist"));
  two.world.put(group("train", 10, 2));
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty());
  EXPECT_THAT(two.world.waiting("@default/train").message,
              HasSubstr("minCount (2) cannot be satisfied: 0 scheduled, 1 remaining"));
  two.world.put(member("b", "train", 600));
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2));
}

std::ptrdiff_t count_of(const std::vector<std::string>& done, const std::string& begin) {
  return std::ranges::count_if(done,
                               [&](const std::string& each) { return each.starts_with(begin); });
}

// A gang of class "batch" whose server drops its preemptionPolicy, and a node full of "low".
struct OfAClass {
  SchedulerWorld world{full()};
  PodGroup train = group("train", 10, 1);
  OfAClass() {
    world.put(node(1000));
    world.put(runs("low", "node-1", 1000));
    train.priority_class = "batch";
    world.put(train);
    world.put(member("a", "train", 1000));
  }
  void list(bool never) {
    world.tell(PriorityClassesListed{{{.name = "batch", .never_preempts = never}}, {}});
  }
  bool preempts() {
    world.pass(seconds(30));
    const std::vector<std::string> done = world.done();
    return std::ranges::find(done, "delete default/low") != done.end();
  }
};

TEST(GangReactor, TheClassDecidesWhetherAGroupPreemptsThatDoesNotSaySo) {
  for (const bool never : {false, true}) {
    OfAClass of;
    of.list(never);
    of.world.start();
    EXPECT_EQ(of.preempts(), !never);
    if (!never) continue;
    EXPECT_THAT(of.world.waiting("@default/train").message,
                HasSubstr("not eligible due to preemptionPolicy=Never"));
    of.world.tell(PriorityClassSeen{{.name = "batch"}});
    EXPECT_TRUE(of.preempts()) << "once the class says otherwise";
  }
}

TEST(GangReactor, WhatAGroupSaysItselfComesBeforeItsClass) {
  OfAClass of;
  of.train.has_policy = true;
  of.world.put(of.train);
  of.list(true);
  of.world.start();
  EXPECT_TRUE(of.preempts());
}

TEST(GangReactor, AGroupOfAClassThatIsNotKnownPreemptsNoPod) {
  OfAClass of;
  of.world.start();
  EXPECT_FALSE(of.preempts());
  of.world.tell(PriorityClassesListed{{}, {"batch"}});
  EXPECT_FALSE(of.preempts()) << "it cannot be understood";
  of.world.tell(PriorityClassGone{"batch", ""});
  EXPECT_TRUE(of.preempts()) << "there is no such class";
}

TEST(GangReactor, TheGlobalDefaultCountsForAGroupWithoutAClass) {
  OfAClass of;
  of.train.priority_class = "";
  of.world.put(of.train);
  of.world.tell(PriorityClassesListed{
      {{.name = "usual", .value = 5, .global_default = true, .never_preempts = true},
       {.name = "higher", .value = 6, .global_default = true}},
      {}});
  of.world.start();
  EXPECT_FALSE(of.preempts());
}

// Each turn before the last member is there tells every member of it.
TEST(GangReactor, AGangWhosePodsComeOneByOneRestsBetween) {
  Two two;
  two.world.put(group("train", 10, 50));
  two.world.put(member("m0", "train", 20));
  two.world.start();
  std::vector<std::string> done = two.world.done();
  std::map<std::string, int> came;
  for (int i = 1; i < 49; ++i) {
    two.world.pass(seconds(1));
    two.world.put(member("m" + std::to_string(i), "train", 20));
    came["m" + std::to_string(i)] = i;
    for (std::string& each : two.world.done()) done.push_back(std::move(each));
    for (const auto& [name, second] : came) {
      if (i - second >= 11) {
        EXPECT_GE(count_of(done, "tell default/" + name), 1) << name;
      }
    }
  }
  EXPECT_LE(count_of(done, "tell default/m0"), 12);
  EXPECT_LE(count_of(done, "event default/m0: FailedScheduling"), 12);
  EXPECT_LE(count_of(done, "event default/train: FailedScheduling"), 12);
  two.world.put(member("m49", "train", 20));
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(50)) << "at once";
}

// A gate is removed from the member that completes minCount.
TEST(GangReactor, AGateThatIsRemovedCompletesAGangAtOnce) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 20));
  Pod gated = member("b", "train", 20);
  gated.placement.gates = {"later"};
  two.world.put(gated);
  two.world.start();
  gated.labels["turn"] = "1";
  two.world.put(gated);
  two.world.pass(seconds(1));
  gated.labels["turn"] = "2";
  two.world.put(gated);
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty());
  EXPECT_THAT(two.world.waiting("@default/train").message,
              HasSubstr("default/b: Scheduling is blocked due to non-empty scheduling gates"));
  gated.placement.gates.clear();
  ++gated.generation;
  two.world.put(gated);
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2));
}

// Labels that change do not bring a gang that was refused back at once each time.
TEST(GangReactor, LabelsOfAMemberDoNotEndTheRestOfItsGang) {
  Two two;
  two.world.put(group("train", 10, 2));
  Pod changing = member("a", "train", 20);
  two.world.put(changing);
  two.world.start();
  const auto turns = [&] {
    return two.world.reactor()
        .state()
        .counts.turns[static_cast<std::size_t>(TurnResult::Unschedulable)];
  };
  const auto before = turns();
  for (int second = 0; second < 60; ++second) {
    changing.labels["turn"] = std::to_string(second);
    two.world.put(changing);
    two.world.pass(seconds(1));
  }
  EXPECT_LE(turns() - before, 10U);
  EXPECT_GE(turns() - before, 5U);
}

TEST(GangReactor, RemovesNobodyBeforeTheWholeGangFits) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("low", "node-1", 900));
  Pod rock = runs("rock", "node-2", 900);
  rock.priority = 100;
  two.world.put(rock);
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains(StartsWith("mark "))));
  EXPECT_THAT(done, Contains("tell group default/train PodGroupInitiallyScheduled=False"));
}

// The victims' marks name the group, at generation 0; they go before anything else.
TEST(GangReactor, PreemptsAGroupWholeAndBindsWhenItIsGone) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
  two.world.put(runs("x", "node-1", 900, "batch"));
  two.world.put(runs("y", "node-2", 900, "batch"));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, AllOf(Contains("mark default/x"), Contains("mark default/y"),
                          Contains("confirm group default/train"), Contains("confirm default/a"),
                          Contains("delete default/x"), Contains("delete default/y")));
  EXPECT_THAT(done, Contains("tell group default/batch DisruptionTarget=True"));
  EXPECT_THAT(done,
              Contains(HasSubstr("default/x: Preempted: Preempted by pod group group-train")));
  EXPECT_THAT(done, Not(Contains(StartsWith("bind "))));
  const auto mark = policy::removal_mark(two.world.pod("default/x"));
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->uid, "group-train");
  EXPECT_EQ(mark->generation, 0);
  EXPECT_EQ(two.world.pod("default/a").nominated_node, "node-1");
  EXPECT_EQ(two.world.pod("default/b").nominated_node, "node-2");
  two.world.remove("default/x");
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty()) << "one of two nodes is free";
  two.world.remove("default/y");
  two.world.pass(seconds(2));
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2));
}

TEST(GangReactor, ARefusedConfirmationRemovesNobody) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("x", "node-1", 900));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.refuse = [](const std::string& what) -> std::optional<Error> {
    if (what != "confirm group default/train") return std::nullopt;
    return Error{Code::NotFound, "not found", {}};
  };
  two.world.start();
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains(StartsWith("delete "))));
  EXPECT_THAT(done, AllOf(Contains("clear default/x"), Contains("clear default/y")));
}

// The kind is not served any more, and the watch does not say so yet: every try costs two marks.
TEST(GangReactor, ARefusedConfirmationIsNotTriedAgainAtOnce) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("x", "node-1", 900));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.refuse = [](const std::string& what) -> std::optional<Error> {
    if (what != "confirm group default/train") return std::nullopt;
    return Error{Code::NotFound, "not found", {}};
  };
  two.world.start();
  two.world.pass(seconds(2));
  const std::vector<std::string> done = two.world.done();
  EXPECT_LE(std::ranges::count(done, "mark default/x"), 4);
}

// A new process finishes what it finds marked.
TEST(GangReactor, ANewLeaderFinishesMarkedSets) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("x", "node-1", 900));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.keeps_back = "delete ";
  two.world.start();
  EXPECT_THAT(two.world.done(), Contains("mark default/x"));
  two.world.keeps_back.clear();
  two.world.restart();
  two.world.start();
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains(StartsWith("mark "))));
  EXPECT_THAT(done, Not(Contains(StartsWith("clear "))));
  EXPECT_THAT(done, AllOf(Contains("delete default/x"), Contains("delete default/y")));
}

// What is bound stays; the member whose binding failed is tried again, with the gang.
TEST(GangReactor, AMemberWhoseBindingFailsIsTriedAgain) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.refuse = [times = 0](const std::string& what) mutable -> std::optional<Error> {
    if (what != "bind default/b to node-2" || ++times > 1) return std::nullopt;
    return Error{Code::Denied, "no", {}};
  };
  two.world.start();
  two.world.pass(seconds(30));
  EXPECT_EQ(two.world.pod("default/a").node, "node-1");
  EXPECT_EQ(two.world.pod("default/b").node, "node-2");
}

TEST(GangReactor, AMemberOfAnotherSchedulerRefusesTheGroupByName) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  Pod other = member("c", "train", 600);
  other.scheduler_name = "another";
  two.world.put(other);
  two.world.start();
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty());
  EXPECT_THAT(two.world.waiting("@default/train").message,
              HasSubstr("default/c has the schedulerName another"));
}

// As a real API server showed: the members come one after the other.
TEST(GangReactor, AMemberOfAnotherSchedulerThatComesLateRefusesTheGangUntilItIsGone) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 600));
  two.world.start();
  Pod other = member("b", "train", 600);
  other.scheduler_name = "another";
  two.world.put(other);
  EXPECT_THAT(two.world.waiting("@default/train").message,
              HasSubstr("default/b has the schedulerName another"));
  two.world.put(member("c", "train", 600));
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty());
  two.world.remove("default/b");
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2));
}

TEST(GangReactor, AMemberThatAnotherSchedulerPlacedCounts) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 600));
  two.world.start();
  Pod other = member("b", "train", 600);
  other.scheduler_name = "another";
  two.world.put(other);
  Pod placed = runs("b", "node-1", 600, "train");
  placed.scheduler_name = "another";
  two.world.put(placed);
  EXPECT_THAT(writes_of(two.world, "bind "), ElementsAre("bind default/a to node-2"));
}

TEST(GangReactor, AGroupThatIsNotSupportedIsRefusedByName) {
  Two two;
  PodGroup refused = group("train", 10, 1, DisruptionMode::All);
  refused.standing.obstacle = policy::GroupObstacle::CompositeParent;
  two.world.put(refused);
  two.world.put(member("a", "train", 600));
  two.world.start();
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains(StartsWith("bind "))));
  EXPECT_THAT(done, Contains(AllOf(StartsWith("event default/train: FailedScheduling"),
                                   HasSubstr("CompositePodGroup"))));
  EXPECT_THAT(done, Contains("tell group default/train PodGroupInitiallyScheduled=False"));
  EXPECT_THAT(done, Not(Contains(HasSubstr("basic policy"))));
}

TEST(GangReactor, AGroupThatIsNotUnderstoodIsNeverCalledScheduled) {
  Two two;
  PodGroup unknown = group("train", 10, std::nullopt);
  unknown.standing.obstacle = policy::GroupObstacle::NotUnderstood;
  two.world.put(unknown);
  two.world.put(member("a", "train", 600));
  two.world.put(runs("b", "node-1", 600, "train"));
  two.world.start();
  two.world.pass(seconds(1));
  EXPECT_THAT(two.world.done(),
              AllOf(Contains("tell group default/train PodGroupInitiallyScheduled=False"),
                    Not(Contains("tell group default/train PodGroupInitiallyScheduled=True"))));
}

// No right, or no such status: every turn of its pods would write it again.
TEST(GangReactor, AGroupStatusThatIsRefusedIsWrittenAgainWithPauses) {
  for (const Code code : {Code::Denied, Code::NotFound, Code::Unavailable}) {
    Two two;
    two.world.put(group("train", 10, 3));
    two.world.put(member("a", "train", 600));
    int tries = 0;
    two.world.refuse = [&](const std::string& what) -> std::optional<Error> {
      if (!what.starts_with("tell group ")) return std::nullopt;
      if (what.ends_with(" PodGroupInitiallyScheduled=False")) ++tries;
      return Error{code, "no", {}};
    };
    two.world.start();
    Pod changing = member("a", "train", 600);
    for (int turn = 0; turn < 60; ++turn) {
      changing.labels["turn"] = std::to_string(turn);
      two.world.put(changing);
      two.world.pass(seconds(1));
    }
    EXPECT_GE(tries, 2);
    EXPECT_LE(tries, 4) << "a minute: at once, and after 10, 20 and 40 seconds";
    EXPECT_EQ(std::ranges::count_if(
                  two.world.done(),
                  [](const std::string& each) { return each.contains("another one is said by"); }),
              1);
    two.world.refuse = {};
    two.world.pass(seconds(90));
    two.world.put(member("a", "train", 600));
    EXPECT_THAT(two.world.done(),
                Contains("tell group default/train PodGroupInitiallyScheduled=False"));
  }
}

// The pause of one write does not lose what is to be written after it.
TEST(GangReactor, AGroupPlacedWhileItsStatusCannotBeWrittenIsCalledScheduledLater) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 600));
  two.world.refuse = [](const std::string& what) -> std::optional<Error> {
    if (!what.starts_with("tell group ")) return std::nullopt;
    return Error{Code::Denied, "no", {}};
  };
  two.world.start();
  two.world.put(member("b", "train", 600));
  two.world.refuse = {};
  two.world.pass(seconds(15));
  EXPECT_THAT(two.world.done(),
              Contains("tell group default/train PodGroupInitiallyScheduled=True"));
}

TEST(GangReactor, SaysThatPodsSayAnotherPriority) {
  Two two;
  two.world.put(group("train", 10, 1));
  two.world.put(member("a", "train", 600));
  two.world.start();
  EXPECT_THAT(two.world.done(),
              AllOf(Contains("tell group default/train PodsNotMatchingPriority=True"),
                    Contains(StartsWith("event default/train: PriorityDiffers: the priority of ")),
                    Not(Contains(HasSubstr("FailedScheduling")))));
}

TEST(GangReactor, TellsOnceOfTheBasicPolicyWithModeAll) {
  Two two;
  two.world.put(group("train", 10, std::nullopt, DisruptionMode::All));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 2000));
  two.world.start();
  two.world.pass(seconds(400));
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Contains("bind default/a to node-1"));
  EXPECT_EQ(std::ranges::count_if(
                done, [](const std::string& each) { return each.contains("disruption mode all"); }),
            1);
  EXPECT_THAT(done, Contains(StartsWith("event default/train: RemovedAsOne: ")));
}

// A group that is replaced under its name is another one.
TEST(GangReactor, AReplacedGroupStartsAgain) {
  Two two;
  two.world.put(group("train", 10, 3));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty());
  PodGroup other = group("train", 10, 2);
  other.standing.uid = "another";
  other.standing.min_count = 3;
  two.world.put(other);
  EXPECT_EQ(two.world.waiting("@default/train").uid, "another");
  EXPECT_THAT(two.world.waiting("@default/train").members, SizeIs(2));
  other.standing.min_count = 2;
  two.world.put(other);
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2));
}

TEST(GangReactor, ADeletedGroupsPodsWaitForAnother) {
  Two two;
  two.world.put(group("train", 10, 3));
  two.world.put(member("a", "train", 600));
  two.world.start();
  two.world.remove_group("default/train");
  EXPECT_FALSE(two.world.reactor().waiting().contains("@default/train"));
  EXPECT_THAT(two.world.waiting("default/a").message, HasSubstr("does not exist"));
}

TEST(GangReactor, ADeferredResizeTakesAGroupWhole) {
  SchedulerWorld world;
  world.put(node(2000));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
  world.put(runs("x", "node-1", 1000, "batch"));
  world.put(runs("y", "node-2", 900, "batch"));
  world.put(test::deferred(running_pod("web", 1000, 0, 10), 2000));
  world.start();
  const std::vector<std::string> done = world.done();
  EXPECT_THAT(done, AllOf(Contains("delete default/x"), Contains("delete default/y")));
  EXPECT_THAT(done, Contains("tell group default/batch DisruptionTarget=True"));
  EXPECT_THAT(done,
              Contains(AllOf(StartsWith("event default/web: Preempting"),
                             HasSubstr("makes room for the resize, expected by "),
                             HasSubstr("; pod group default/batch goes whole (2 pods on nodes "
                                       "node-1 and node-2)"))));
  const Counts& counts = world.reactor().counts();
  EXPECT_EQ(counts.victims_by.of(PreemptorKind::Resize, VictimKind::Group), 2);
  EXPECT_EQ(counts.sets.of(PreemptorKind::Resize, VictimKind::Group), 1);
}

TEST(GangReactor, AnOwnerIsToldOfAGangThatKeepsTooFewPods) {
  SchedulerWorld world;
  world.put(node(2000));
  world.put(group("batch", 0, 2));
  world.put(runs("x", "node-1", 1000, "batch"));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  world.put(runs("y", "node-2", 900, "batch"));
  world.put(test::deferred(running_pod("web", 1000, 0, 10), 2000));
  world.start();
  const std::vector<std::string> done = world.done();
  EXPECT_THAT(done, AllOf(Contains("delete default/x"), Not(Contains("delete default/y"))));
  EXPECT_THAT(done, Contains(AllOf(StartsWith("event default/web: Preempting"),
                                   HasSubstr("; pod group default/batch keeps 1 of minCount (2)"),
                                   Not(HasSubstr("goes whole")))));
}

// The owner of a pod may not read the names of another namespace.
TEST(GangReactor, AGroupOfAnotherNamespaceIsToldByItsUid) {
  SchedulerWorld world;
  world.put(node(2000));
  PodGroup batch = group("batch", 0, 1, DisruptionMode::All);
  batch.ns = "jobs";
  world.put(batch);
  Pod x = runs("x", "node-1", 1000, "batch");
  x.ns = "jobs";
  world.put(x);
  world.put(test::deferred(running_pod("web", 1000, 0, 10), 2000));
  world.start();
  EXPECT_THAT(
      world.done(),
      Contains(AllOf(StartsWith("event default/web: Preempting"),
                     HasSubstr("; pod group uid group-batch goes whole (1 pod on node "
                               "node-1); pod group uid group-batch keeps 0 of minCount (1)"),
                     Not(HasSubstr("jobs/batch")))));
}

// A group on two nodes, one pod of which was deleted for a gang that is gone by now.
struct HalfRemoved : Two {
  Error trouble{Code::Unavailable, "later", {}};
  bool lets_go = false;
  std::vector<std::string> done{};  // before the preemptor is gone

  explicit HalfRemoved(Code code) {
    trouble.code = code;
    world.put(group("train", 10, 2));
    world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
    for (Pod pod : {runs("x", "node-1", 900, "batch"), runs("y", "node-2", 900, "batch")}) {
      pod.created = policy::Time{};
      world.put(pod);
    }
    world.put(member("a", "train", 600));
    world.put(member("b", "train", 600));
    world.refuse = [this](const std::string& what) -> std::optional<Error> {
      if (lets_go || what != "delete default/y") return std::nullopt;
      return trouble;
    };
    world.start();
    done = world.done();
    EXPECT_THAT(done, Contains("delete default/x"));
  }

  void end_preemptor() {
    world.remove("default/a");
    world.remove("default/b");
    world.remove_group("default/train");
  }
};

TEST(GangReactor, TheRestOfAGroupFollowsWhereItsPreemptorIsGone) {
  HalfRemoved half(Code::Unavailable);
  half.end_preemptor();
  half.lets_go = true;
  half.world.pass(seconds(60));
  const std::vector<std::string> done = half.world.done();
  EXPECT_THAT(done, Contains("delete default/y"));
  EXPECT_THAT(done, Not(Contains("clear default/y")));
  EXPECT_THAT(done, Contains(HasSubstr("default/y: Preempted: Preempted by pod group")));
}

TEST(GangReactor, TheRestOfAGroupIsTriedAgain) {
  HalfRemoved half(Code::Unavailable);
  half.end_preemptor();
  half.world.pass(seconds(60));
  EXPECT_THAT(half.world.done(), Not(Contains("clear default/y")));
  half.lets_go = true;
  half.world.pass(seconds(120));
  EXPECT_THAT(half.world.done(), Contains("delete default/y"));
}

TEST(GangReactor, ANewLeaderRemovesTheRestOfAGroup) {
  HalfRemoved half(Code::Unavailable);
  half.world.remove("default/x");
  half.world.restart();
  half.lets_go = true;
  half.end_preemptor();
  half.world.start();
  half.world.pass(seconds(60));
  const std::vector<std::string> done = half.world.done();
  EXPECT_THAT(done, Contains("delete default/y"));
  EXPECT_THAT(done, Not(Contains("clear default/y")));
}

TEST(GangReactor, ARefusedRestOfAGroupStaysAndIsTold) {
  HalfRemoved half(Code::Denied);
  EXPECT_THAT(half.done, Contains(AllOf(StartsWith("event default/batch: Preempted"),
                                        HasSubstr("does not let pod default/y go: later"))));
  EXPECT_THAT(half.done, Contains("clear default/y"));
  half.end_preemptor();
  half.world.pass(seconds(60));
  EXPECT_EQ(half.world.pod("default/y").node, "node-2");
}

const policy::Condition* shown_of(SchedulerWorld& world, const std::string& of,
                                  std::string_view type) {
  const PodGroup* known = world.reactor().snapshot().groups().find(of);
  return known == nullptr ? nullptr : policy::find_condition(known->conditions, type);
}

// A new leader knows the group's removal by that condition alone.
TEST(GangReactor, ADisruptionTargetThatIsNotWrittenIsWrittenLater) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
  two.world.put(runs("x", "node-1", 900, "batch"));
  two.world.put(runs("y", "node-2", 900, "batch"));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  const std::string told = "tell group default/batch DisruptionTarget=True";
  two.world.refuse = [&](const std::string& what) -> std::optional<Error> {
    if (what != told) return std::nullopt;
    return Error{Code::Unavailable, "500", {}};
  };
  two.world.start();
  EXPECT_THAT(two.world.done(), Contains(told));
  two.world.refuse = {};
  two.world.pass(seconds(9));
  EXPECT_THAT(two.world.done(), Not(Contains(told)));
  two.world.pass(seconds(2));
  EXPECT_EQ(count_of(two.world.done(), told), 1);
  ASSERT_NE(shown_of(two.world, "default/batch", policy::kDisruptionTarget), nullptr);
  two.world.pass(seconds(600));
  EXPECT_THAT(two.world.done(), Not(Contains(told)));
}

TEST(GangReactor, AStatusThatIsWrittenLaterSaysTheLatest) {
  Two two;
  two.world.put(group("train", 10, 5));
  two.world.put(member("a", "train", 600));
  const std::string told = "tell group default/train PodGroupInitiallyScheduled=False";
  two.world.refuse = [&](const std::string& what) -> std::optional<Error> {
    if (what != told) return std::nullopt;
    return Error{Code::Unavailable, "500", {}};
  };
  two.world.start();
  two.world.refuse = {};
  two.world.put(member("b", "train", 600));
  two.world.pass(seconds(5));
  static_cast<void>(two.world.done());
  two.world.pass(seconds(6));
  EXPECT_EQ(count_of(two.world.done(), told), 1);
  const policy::Condition* shown =
      shown_of(two.world, "default/train", policy::kPodGroupInitiallyScheduled);
  ASSERT_NE(shown, nullptr);
  EXPECT_THAT(shown->message, HasSubstr("0 scheduled, 2 remaining"));
}

// Pods that a controller created since an earlier removal go with the next one.
TEST(GangReactor, EachRemovalOfAGroupHasATimeOfItsOwn) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
  const std::string told = "tell group default/batch DisruptionTarget=True";
  bool is_started = false;
  for (const std::string round : {"1", "2", "3"}) {
    two.world.put(runs("x" + round, "node-1", 900, "batch"));
    two.world.put(runs("y" + round, "node-2", 900, "batch"));
    two.world.put(member("a" + round, "train", 600));
    two.world.put(member("b" + round, "train", 600));
    if (!std::exchange(is_started, true)) two.world.start();
    EXPECT_EQ(count_of(two.world.done(), told), 1) << round;
    const policy::Condition* shown =
        shown_of(two.world, "default/batch", policy::kDisruptionTarget);
    ASSERT_NE(shown, nullptr);
    EXPECT_EQ(shown->last_transition, two.world.wall()) << round;
    two.world.remove("default/x" + round);
    two.world.remove("default/y" + round);
    two.world.pass(seconds(60));
    EXPECT_EQ(two.world.pod("default/a" + round).node, "node-1");
    two.world.remove("default/a" + round);
    two.world.remove("default/b" + round);
    two.world.pass(seconds(600));
    if (round == "2") {
      two.world.restart();
      is_started = false;
    }
  }
}

// Seen on a real cluster: the Job ran again, and its group stayed disrupted.
TEST(GangReactor, TheDisruptionOfAGroupEndsWhenItsPodsRunAgain) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(group("batch", 0, 2, DisruptionMode::All));
  for (const char* name : {"x", "y"}) {
    two.world.put(runs(name, name == std::string("x") ? "node-1" : "node-2", 900, "batch"));
  }
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  const std::string ended = "tell group default/batch DisruptionTarget=False";
  for (const char* name : {"x", "y"}) two.world.remove("default/" + std::string(name));
  two.world.pass(seconds(60));
  for (const char* name : {"a", "b"}) two.world.remove("default/" + std::string(name));
  two.world.pass(seconds(60));
  const auto again = [&](const std::string& name, const std::string& node) {
    Pod pod = runs(name, node, 900, "batch");
    pod.created = two.world.wall();
    two.world.put(pod);
    two.world.pass(seconds(1));
  };
  again("x2", "node-1");
  EXPECT_THAT(two.world.done(), Not(Contains(ended))) << "one of minCount 2";
  again("y2", "node-2");
  EXPECT_EQ(count_of(two.world.done(), ended), 1);
  const policy::Condition* shown = shown_of(two.world, "default/batch", policy::kDisruptionTarget);
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(shown->status, "False");
  two.world.restart();
  two.world.start();
  two.world.pass(seconds(60));
  EXPECT_THAT(two.world.done(), Not(Contains(ended)));
}

// What the pod that cannot be read holds, and which group it belongs to, is not known.
TEST(GangReactor, AGroupWithAPodOnAnUnclearNodeStays) {
  for (const bool is_gang : {false, true}) {
    Two two;
    two.world.put(group("train", 10, 1));
    two.world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
    two.world.put(runs("x", "node-1", 900, "batch"));
    two.world.put(runs("y", "node-2", 900, "batch"));
    two.world.start();
    two.world.tell(Unreadable{.kind = "Pod",
                              .key = "default/odd",
                              .why = "spec: is no map",
                              .uid = "uid-odd",
                              .node = "node-2"});
    Pod boss = member("boss", is_gang ? "train" : "", 600);
    boss.priority = 10;
    two.world.put(boss);
    two.world.pass(seconds(60));
    const std::vector<std::string> done = two.world.done();
    EXPECT_THAT(done, Not(Contains(StartsWith("mark "))));
    EXPECT_THAT(done, Not(Contains(StartsWith("delete "))));
    two.world.tell(PodGone{"default/odd", "uid-odd"});
    two.world.pass(seconds(10));
    EXPECT_THAT(two.world.done(), Contains("delete default/x")) << "it can be read by now";
  }
}

// Pods of node-2 go for a resize there. The group on both nodes is all that may go on node-1.
struct BesideARemoval {
  SchedulerWorld world;
  explicit BesideARemoval(const ReactorOptions& options) : world(options) {
    world.put(node(2000));
    world.put(node(2000, 64 * test::kGi, "node-2"));
    world.put(group("batch", 5, std::nullopt, DisruptionMode::All));
    world.put(runs("x", "node-1", 1000, "batch"));
    world.put(runs("y", "node-2", 900, "batch"));
    world.put(runs("cheap", "node-2", 500));
    world.put(running_pod("web", 1000, 0, 10));
    Pod db = test::deferred(running_pod("db", 600, 0, 10), 1100);
    db.node = "node-2";
    world.put(db);
    world.keeps_back = "delete default/cheap";
    world.start();
    EXPECT_THAT(world.done(), Contains("mark default/cheap"));
  }
};

TEST(GangReactor, AGroupWithAPodWhereOthersGoIsRemovedForAPodAfterwards) {
  BesideARemoval beside(full());
  SchedulerWorld& world = beside.world;
  Pod boss = member("boss", "", 600);
  boss.priority = 10;
  world.holds_back = true;
  world.put(boss);
  const Waiting& waits = world.waiting("default/boss");
  EXPECT_EQ(waits.message, "pods of node node-2 are being asked to go");
  ASSERT_EQ(waits.next_look, world.now() + Queue::kFirstBackoff);
  world.answer();
  world.release();
  world.pass(seconds(2));
  EXPECT_THAT(world.done(), AllOf(Contains("delete default/x"), Contains("delete default/y")));
}

TEST(GangReactor, AGroupWithAPodWhereOthersGoIsRemovedForAResizeAfterwards) {
  BesideARemoval beside(SchedulerWorld::usual());
  SchedulerWorld& world = beside.world;
  world.put(test::deferred(running_pod("web", 1000, 0, 10), 2000));
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
  EXPECT_THAT(world.done(), Not(Contains("mark default/x")));
  world.release();
  world.pass(seconds(15));
  EXPECT_THAT(world.done(), AllOf(Contains("delete default/x"), Contains("delete default/y")));
}

// Nobody was deleted yet: the group stays as it is.
TEST(GangReactor, AGroupThatIsOnlyMarkedStays) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
  two.world.put(runs("x", "node-1", 900, "batch"));
  two.world.put(runs("y", "node-2", 900, "batch"));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.keeps_back = "delete ";
  two.world.start();
  EXPECT_THAT(two.world.done(), Contains("mark default/x"));
  two.world.keeps_back.clear();
  two.world.restart();
  two.world.remove("default/a");
  two.world.remove("default/b");
  two.world.remove_group("default/train");
  two.world.start();
  two.world.pass(seconds(60));
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains(StartsWith("delete "))));
  EXPECT_THAT(done, AllOf(Contains("clear default/x"), Contains("clear default/y")));
}

// ---- bad input ----

TEST(GangReactor, AGangOf5000ThatFitsNowhereIsToldInBounds) {
  Two two;
  two.world.put(group("train", 10, 5000));
  two.world.put(runs("x", "node-1", 900));
  for (int i = 0; i < 5000; ++i) two.world.put(member("m-" + std::to_string(i), "train", 600));
  two.world.lags = true;  // each write would be shown within the one before
  two.world.start();
  two.world.catch_up();
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains(StartsWith("mark "))));
  EXPECT_THAT(done, Not(Contains(StartsWith("bind "))));
  EXPECT_THAT(done, Contains("tell group default/train PodGroupInitiallyScheduled=False"));
  for (const std::string& each : done) EXPECT_LE(each.size(), 2'000U) << each;
}

TEST(GangReactor, APodThatNamesItselfIntoAGroupWhileItGoesStays) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
  two.world.put(runs("x", "node-1", 900, "batch"));
  two.world.put(runs("y", "node-2", 900, "batch"));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  EXPECT_THAT(two.world.done(), Contains("delete default/y"));
  two.world.put(runs("late", "node-2", 10, "batch"));
  two.world.remove("default/x");
  two.world.remove("default/y");
  two.world.pass(seconds(60));
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains("delete default/late")));
  EXPECT_THAT(done, Contains("bind default/a to node-1"));
}

// Another group has the name by the time of the last look: nobody is removed for it.
TEST(GangReactor, AGroupReplacedWhileItsVictimsAreMarkedRemovesNobody) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("x", "node-1", 900));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.holds_back = true;
  two.world.start();
  PodGroup other = group("train", 10, 3);
  other.standing.uid = "another";
  two.world.put(other);
  two.world.holds_back = false;
  two.world.answer();
  two.world.pass(seconds(60));
  EXPECT_THAT(two.world.done(), Not(Contains(StartsWith("delete "))));
}

TEST(GangReactor, CountsByWhatPreemptsAndByWhatGoes) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(group("batch", 0, std::nullopt, DisruptionMode::All));
  two.world.put(runs("x", "node-1", 900, "batch"));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  const Counts& counts = two.world.reactor().counts();
  EXPECT_EQ(counts.victims, 2);
  EXPECT_EQ(counts.victims_by.of(PreemptorKind::Group, VictimKind::Group), 1);
  EXPECT_EQ(counts.victims_by.of(PreemptorKind::Group, VictimKind::Pod), 1);
  EXPECT_EQ(counts.sets.of(PreemptorKind::Group, VictimKind::Group), 1);
  EXPECT_EQ(counts.sets.of(PreemptorKind::Group, VictimKind::Pod), 0);
  const auto& gangs = counts.turns_by[static_cast<std::size_t>(PreemptorKind::Group)];
  EXPECT_GE(gangs[static_cast<std::size_t>(TurnResult::Preempts)], 1U);
  EXPECT_EQ(counts.turns_by[static_cast<std::size_t>(PreemptorKind::Resize)], TurnCounts{});
}

// Others wait, too: what its pods may be removed for changes with the group.
TEST(GangReactor, AChangedGroupWakesPodsThatWaitForItsRoom) {
  Two two;
  two.world.put(group("batch", 1000, std::nullopt));
  two.world.put(runs("x", "node-1", 900, "batch"));
  two.world.put(runs("y", "node-2", 900, "batch"));
  Pod web = member("web", "", 600);
  web.priority = 10;
  two.world.put(web);
  two.world.start();
  EXPECT_EQ(two.world.waiting("default/web").result, TurnResult::Unschedulable);
  PodGroup lower = group("batch", 0, std::nullopt);
  lower.standing.uid = "another";
  two.world.put(lower);
  two.world.pass(seconds(2));
  EXPECT_THAT(writes_of(two.world, "delete "), SizeIs(1));
}

TEST(GangReactor, NobodyIsRemovedForAGroupThatIsBeingDeleted) {
  Two two;
  PodGroup train = group("train", 10, 2);
  train.deletion = policy::Time{seconds(1'780'000'000)};
  two.world.put(train);
  two.world.put(runs("x", "node-1", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  two.world.pass(seconds(30));
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done, Not(Contains(StartsWith("mark "))));
  EXPECT_EQ(two.world.waiting("@default/train").result, TurnResult::Unschedulable);
  EXPECT_THAT(two.world.waiting("@default/train").message,
              HasSubstr("preemption: not eligible, as the pod group is being deleted."));
  two.world.remove("default/x");
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2)) << "it has room all the same";
}

// A node that turned out a pod like its own takes others later.
TEST(GangReactor, AGangIsTriedAgainWhenANodeTakesItsPodsAgain) {
  SchedulerWorld world(full());
  world.put(node(1000));
  world.put(group("train", 10, 1));
  Pod first = member("first", "train", 600);
  first.controller = policy::Owner{.uid = "uid-of-job"};
  world.put(first);
  world.start();
  EXPECT_THAT(writes_of(world, "bind "), SizeIs(1));
  Pod failed = world.pod("default/first");
  failed.phase = policy::Phase::Failed;
  world.put(failed);
  Pod second = member("second", "train", 600);
  second.controller = first.controller;
  world.put(second);
  EXPECT_THAT(writes_of(world, "bind "), IsEmpty());
  world.pass(seconds(61));
  EXPECT_THAT(writes_of(world, "bind "), SizeIs(1));
}

// A gang's pods may be of several controllers.
TEST(GangReactor, EachMemberAvoidsTheNodesThatTurnedItsOwnKindOut) {
  Two two;
  const auto of = [](Pod pod, const std::string& uid) {
    pod.controller = policy::Owner{.uid = uid};
    return pod;
  };
  two.world.put(group("train", 10, 2));
  for (const auto& [name, node, uid] :
       {std::tuple{"x", "node-1", "of-leader"}, std::tuple{"y", "node-2", "of-workers"}}) {
    Pod failed = of(runs(name, node, 600), uid);
    failed.phase = policy::Phase::Failed;
    for (policy::Container& each : failed.containers) each.state = policy::RunState::None;
    two.world.put(failed);
  }
  two.world.put(of(member("a", "train", 600), "of-leader"));
  two.world.put(of(member("b", "train", 600), "of-workers"));
  two.world.start();
  EXPECT_THAT(writes_of(two.world, "bind "),
              UnorderedElementsAre("bind default/a to node-2", "bind default/b to node-1"));
}

// The first one, by name, avoids nothing.
TEST(GangReactor, AMemberThatAvoidsTheOnlyNodeWithRoomKeepsItsGangWaiting) {
  SchedulerWorld world(full());
  world.put(node(4000));
  world.put(group("train", 10, 2));
  Pod failed = runs("x", "node-1", 600);
  failed.controller = policy::Owner{.uid = "of-workers"};
  failed.phase = policy::Phase::Failed;
  for (policy::Container& each : failed.containers) each.state = policy::RunState::None;
  world.put(failed);
  world.put(member("a", "train", 600));
  Pod b = member("b", "train", 600);
  b.controller = failed.controller;
  world.put(b);
  world.start();
  EXPECT_THAT(writes_of(world, "bind "), IsEmpty());
  EXPECT_THAT(world.waiting("@default/train").message, HasSubstr("had refused a pod like it"));
  world.pass(seconds(61));
  EXPECT_THAT(writes_of(world, "bind "), SizeIs(2));
}

// Upstream's rules wait for a terminating pod without an end.
TEST(GangReactor, AGangThatWaitsForAPodToLeaveTakesTheNodeThatItAvoidedBefore) {
  ReactorOptions options = full();
  options.rules = policy::RuleSet::Upstream;
  SchedulerWorld world(options);
  world.put(node(1000));
  world.put(node(1000, 64 * test::kGi, "node-2"));
  world.put(group("train", 10, 1));
  Pod failed = runs("x", "node-1", 600);
  failed.controller = policy::Owner{.uid = "of-workers"};
  failed.phase = policy::Phase::Failed;
  for (policy::Container& each : failed.containers) each.state = policy::RunState::None;
  world.put(failed);
  Pod low = runs("low", "node-2", 900);
  low.deletion = world.wall() + seconds(600);
  low.deletion_grace_seconds = 600;
  world.put(low);
  Pod a = member("a", "train", 600);
  a.controller = failed.controller;
  world.put(a);
  world.start();
  EXPECT_EQ(world.waiting("@default/train").result, TurnResult::Awaits);
  world.pass(seconds(61));
  EXPECT_EQ(world.pod("default/a").node, "node-1");
}

// Those above minCount wait by themselves, and are told why.
TEST(GangReactor, MembersAboveMinCountWaitForRoom) {
  Two two;
  two.world.put(group("train", 10, 2));
  for (const char* name : {"a", "b", "c"}) two.world.put(member(name, "train", 600));
  two.world.start();
  const std::vector<std::string> done = two.world.done();
  EXPECT_THAT(done,
              AllOf(Contains("bind default/a to node-1"), Contains("bind default/b to node-2"),
                    Not(Contains("tell group default/train "
                                 "PodGroupInitiallyScheduled=False"))));
  EXPECT_EQ(two.world.waiting("@default/train").result, TurnResult::Unschedulable);
  two.world.put(node(1000, 64 * test::kGi, "node-3"));
  two.world.pass(seconds(2));
  EXPECT_THAT(writes_of(two.world, "bind "), ElementsAre("bind default/c to node-3"));
}

// ... also where another process had them marked, and wherever they run.
TEST(GangReactor, ANewLeaderWaitsForTheLastVictim) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("x", "node-1", 900));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.start();
  EXPECT_THAT(writes_of(two.world, "delete "), SizeIs(2));
  two.world.restart();
  two.world.remove("default/x");
  two.world.put(node(1000, 64 * test::kGi, "node-3"));
  two.world.start();
  EXPECT_THAT(writes_of(two.world, "bind "), IsEmpty());
  two.world.remove("default/y");
  two.world.pass(seconds(2));
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2));
}

ReactorOptions upstream() {
  ReactorOptions options = full();
  options.rules = policy::RuleSet::Upstream;
  return options;
}

TEST(GangReactor, ByUpstreamsRulesAMemberAboveMinCountWaitsToo) {
  SchedulerWorld world(upstream());
  world.put(node(1000));
  world.put(runs("low", "node-1", 300));
  world.put(group("train", 10, 1));
  world.put(member("a", "train", 600));
  world.put(member("b", "train", 2000));
  world.start();
  EXPECT_THAT(writes_of(world, "bind "), SizeIs(1));
  world.pass(seconds(5));
  EXPECT_EQ(world.waiting("@default/train").result, TurnResult::Unschedulable);
}

// They choose pods that are terminating already; these are not deleted again.
TEST(GangReactor, ByUpstreamsRulesNoPodIsRemovedTwice) {
  SchedulerWorld world(upstream());
  world.put(node(1000));
  Pod x = runs("x", "node-1", 900);
  x.deletion = policy::Time{seconds(1'780'000'100)};
  world.put(x);
  world.put(group("train", 10, 1));
  world.put(member("a", "train", 600));
  world.start();
  world.pass(seconds(5));
  const std::vector<std::string> done = world.done();
  EXPECT_THAT(done,
              AllOf(Not(Contains(StartsWith("delete "))), Not(Contains(StartsWith("bind ")))));
  world.remove("default/x");
  world.pass(seconds(2));
  EXPECT_THAT(writes_of(world, "bind "), SizeIs(1));
}

TEST(GangReactor, AMemberThatComesWhileOthersAreBeingBoundIsTried) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(member("a", "train", 400));
  two.world.put(member("b", "train", 400));
  two.world.keeps_back = "bind ";
  two.world.start();
  two.world.put(member("c", "train", 400));
  two.world.keeps_back.clear();
  two.world.release();
  two.world.pass(seconds(5));
  EXPECT_NE(two.world.pod("default/c").node, "");
}

// Pods that wait one by one: all of them are meant.
TEST(GangReactor, PrioritiesOfABasicGroupAreToldOnce) {
  Two two;
  two.world.put(group("train", 10, std::nullopt));
  Pod same = member("a", "train", 2000);
  same.priority = 10;
  two.world.put(same);
  two.world.put(member("b", "train", 2000));
  two.world.start();
  two.world.put(node(500, 64 * test::kGi, "node-3"));
  two.world.pass(seconds(5));
  std::vector<std::string> told = two.world.done();
  std::erase_if(told, [](const std::string& each) {
    return each.find("PodsNotMatchingPriority") == std::string::npos;
  });
  EXPECT_THAT(told, ElementsAre("tell group default/train PodsNotMatchingPriority=True"));
}

// A node that is not ready loses no pod.
TEST(GangReactor, ByUpstreamsRulesStuckNodesLoseNoPod) {
  SchedulerWorld world(upstream());
  policy::Node silent = node(1000);
  silent.ready = policy::NodeReady::False;
  world.put(silent);
  world.put(runs("x", "node-1", 900));
  world.put(group("train", 10, 1));
  world.put(member("a", "train", 600));
  world.start();
  world.pass(seconds(5));
  EXPECT_THAT(world.done(), Not(Contains(StartsWith("mark "))));
}

// The API server is asked for every pod that is to be placed, before the first delete.
TEST(GangReactor, ARemovalIsGivenUpWhereOtherPodsAreToBePlacedByNow) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("x", "node-1", 900));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.keeps_back = "mark ";
  two.world.start();
  two.world.put(member("c", "train", 300));  // placed beside the others
  EXPECT_THAT(two.world.done(), Not(Contains("confirm default/c")));
  two.world.keeps_back.clear();
  two.world.release();
  two.world.pass(seconds(5));
  const std::vector<std::string> done = two.world.done();
  const auto confirmed = std::ranges::find(done, "confirm default/c");
  const auto removed = std::ranges::find(done, "delete default/x");
  ASSERT_NE(removed, done.end());
  EXPECT_LT(confirmed, removed);
}

// The gang would fit on another node by now. Its own nominations are nothing new to it.
TEST(GangReactor, ARemovalThatIsOvertakenAgainIsTriedAfterAPause) {
  Two two;
  two.world.put(group("train", 10, 2));
  two.world.put(runs("x", "node-1", 900));
  two.world.put(runs("y", "node-2", 900));
  two.world.put(member("a", "train", 600));
  two.world.put(member("b", "train", 600));
  two.world.keeps_back = "mark ";
  two.world.start();
  for (int times = 0; times < 2; ++times) {
    two.world.put(node(2000, 64 * test::kGi, "node-3"));
    two.world.release();
    EXPECT_EQ(two.world.waiting("@default/train").result, TurnResult::Overtaken) << times;
    if (times == 1) break;
    two.world.tell(NodeGone{"node-3", ""});
    two.world.keeps_back = "mark ";
    two.world.pass(seconds(2));
    EXPECT_EQ(two.world.waiting("@default/train").result, TurnResult::Preempts);
  }
  two.world.pass(seconds(5));
  EXPECT_THAT(writes_of(two.world, "bind "), SizeIs(2));
}

// Upstream waits for the victims of a nominated gang; that it is nominated for its own removal is
// no reason to give that up.
TEST(GangReactor, ByUpstreamsRulesItsOwnNominationStopsNoRemoval) {
  SchedulerWorld world(upstream());
  world.put(node(1000));
  Pod x = runs("x", "node-1", 400);
  x.deletion = policy::Time{seconds(1'780'000'100)};
  x.conditions.push_back({.type = std::string(policy::kDisruptionTarget),
                          .status = "True",
                          .reason = std::string(policy::kReasonPreemptionByScheduler)});
  world.put(x);
  world.put(runs("y", "node-1", 500));
  world.put(group("train", 10, 1));
  world.put(member("a", "train", 900));
  world.start();
  EXPECT_THAT(writes_of(world, "delete "), ElementsAre("delete default/y"));
}

}  // namespace
}  // namespace elbowroom::scheduler
