// Random small clusters with gangs: what every decision about a gang must satisfy. The oracle tries
// every placement and every set of victims; it shares no code with the decision.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "policy/placement/group_schedule.h"
#include "test/cluster_world.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::ClusterWorld;
using test::kNoon;

constexpr std::int32_t kGang = 100;

int below(int bound) { return *rc::gen::inRange(0, bound); }

struct GangWorld : ClusterWorld {
  bool keeps_apart = false;  // no two members on one node
  PodGroup train{.ns = "default", .name = "train", .standing = {.uid = "train", .priority = kGang}};
  std::map<std::string, std::string> unit_of{};  // by pod uid: its group, or itself
  std::map<std::string, std::int32_t> priority_of_unit{};
};

void keep_apart(Pod& pod) {
  pod.labels["app"] = "train";
  pod.placement.required_anti_affinity = {
      {.selector = LabelSelector{.match_labels = {{"app", "train"}}},
       .namespaces = {"default"},
       .topology_key = "kubernetes.io/hostname"}};
}

std::string zone() { return below(2) == 0 ? "a" : "b"; }

// Of either kind, over the pods with one label. What a DisruptionBudget allows is said by its rate.
void add_budgets(GangWorld& world) {
  for (const char* app : {"x", "y"}) {
    const LabelSelector selector{.match_labels = {{"app", app}}};
    if (below(2) == 0) {
      world.budgets.upstream.push_back(
          {.ns = "default", .name = app, .selector = selector, .disruptions_allowed = below(3)});
    }
    if (below(2) == 0) {
      world.budgets.ours.push_back({.ns = "default",
                                    .name = app,
                                    .selector = selector,
                                    .rate_disruptions = below(3),
                                    .rate_per = std::chrono::hours(1),
                                    .hard = below(3) == 0});
    }
  }
}

GangWorld random_world() {
  GangWorld world;
  const int nodes = 1 + below(5);
  for (int i = 0; i < nodes; ++i) {
    world.node("n" + std::to_string(i), 2 + below(4), 2 + below(4)).labels["zone"] = zone();
  }
  for (const char* group : {"g1", "g2"}) world.priority_of_unit[group] = below(120);
  const int pods = below(9);
  for (int i = 0; i < pods; ++i) {
    const std::string name = "p" + std::to_string(i);
    Pod& pod = world.runs(name, "n" + std::to_string(below(nodes)), below(120), below(3), below(5));
    pod.containers[0].desired.requests.memory.value = below(3);
    pod.containers[0].allocated_requests = pod.containers[0].actual_requests =
        pod.containers[0].desired.requests;
    if (below(2) == 0) pod.labels["app"] = below(2) == 0 ? "x" : "y";
    world.unit_of[name] = name;
    world.priority_of_unit[name] = *pod.priority;
    if (const int group = below(4); group == 1 || group == 2) {
      const std::string of = "g" + std::to_string(group);
      pod.scheduling_group = of;
      pod.group = {.uid = of, .priority = world.priority_of_unit[of], .mode = DisruptionMode::All};
      world.unit_of[name] = of;
    }
  }
  add_budgets(world);
  const int members = 1 + below(4);
  const bool selects = below(3) == 0;
  world.keeps_apart = below(3) == 0;
  world.train.standing.min_count = 1 + below(members);
  const bool alike = below(2) == 0;
  const Resources first = test::figures(1 + below(3), below(3));
  for (int i = 0; i < members; ++i) {
    Pod pod = ClusterWorld::pending("m" + std::to_string(i), 0, 0);
    pod.containers[0].desired.requests = alike ? first : test::figures(1 + below(3), below(3));
    pod.scheduling_group = "train";
    pod.group = world.train.standing;
    if (selects) pod.placement.node_selector = {{"zone", zone()}};
    if (world.keeps_apart) keep_apart(pod);
    world.pods.push_back(pod);
  }
  return world;
}

GroupSchedulingDecision ask(const GangWorld& world) {
  return schedule_group(
      {.nodes = world.nodes, .pods = world.pods, .budgets = world.budgets, .now = kNoon},
      world.train);
}

// ---- the oracle ----

struct Amount {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
};

struct Free : Amount {
  std::string zone{};
  int members = 0;
};

Amount amount_of_pod(const Pod& pod) {
  const Resources& of = pod.containers[0].desired.requests;
  return {of.cpu.value, of.memory.value};
}

// What is free on each node without the units in `gone`. A node may be over-committed.
std::map<std::string, Free> free_without(const GangWorld& world,
                                         const std::set<std::string>& gone) {
  std::map<std::string, Free> free;
  for (const Node& node : world.nodes) {
    free[node.name] = {{node.allocatable.cpu.value, node.allocatable.memory.value},
                       node.labels.at("zone")};
  }
  for (const Pod& pod : world.pods) {
    if (pod.node.empty() || gone.contains(world.unit_of.at(pod.uid))) continue;
    free[pod.node].cpu -= amount_of_pod(pod).cpu;
    free[pod.node].memory -= amount_of_pod(pod).memory;
  }
  return free;
}

// A resource that is not requested is not looked at.
bool fits(const GangWorld& world, const Free& free, const Pod& member) {
  const Amount wants = amount_of_pod(member);
  const auto& selector = member.placement.node_selector;
  return (wants.cpu == 0 || wants.cpu <= free.cpu) &&
         (wants.memory == 0 || wants.memory <= free.memory) &&
         (selector.empty() || selector.at("zone") == free.zone) &&
         (!world.keeps_apart || free.members == 0);
}

void take(Free& free, const Pod& member) {
  free.cpu -= amount_of_pod(member).cpu;
  free.memory -= amount_of_pod(member).memory;
  ++free.members;
}

bool can_place(const GangWorld& world, std::map<std::string, Free>& free,
               const std::vector<const Pod*>& members, std::size_t from, std::int64_t wanted) {
  if (wanted <= 0) return true;
  if (static_cast<std::int64_t>(members.size() - from) < wanted) return false;
  for (auto& [node, left] : free) {
    if (!fits(world, left, *members[from])) continue;
    const Free before = left;
    take(left, *members[from]);
    const bool done = can_place(world, free, members, from + 1, wanted - 1);
    left = before;
    if (done) return true;
  }
  return can_place(world, free, members, from + 1, wanted);
}

bool can_place_without(const GangWorld& world, const std::set<std::string>& gone) {
  std::vector<const Pod*> members;
  for (const Pod& pod : world.pods) {
    if (pod.node.empty()) members.push_back(&pod);
  }
  auto free = free_without(world, gone);
  return can_place(world, free, members, 0, *world.train.standing.min_count);
}

std::set<std::string> units_up_to(const GangWorld& world, std::int32_t ceiling) {
  std::set<std::string> units;
  for (const auto& [pod, unit] : world.unit_of) {
    const std::int32_t priority = world.priority_of_unit.at(unit);
    if (priority <= ceiling && priority < kGang) units.insert(unit);
  }
  return units;
}

// ---- the oracle's budgets ----

struct Broken {
  std::set<std::string> pdb{};   // units that violate a PodDisruptionBudget
  std::set<std::string> soft{};  // or a DisruptionBudget
  std::set<std::string> kept{};  // by a hard one
  std::set<std::string> pods{};  // that violate either
  std::set<std::string> pods_against_pdb{};
};

std::vector<const Pod*> pods_of(const GangWorld& world, const std::string& unit) {
  std::vector<const Pod*> pods;
  for (const Pod& pod : world.pods) {
    const auto of = world.unit_of.find(pod.uid);
    if (of != world.unit_of.end() && of->second == unit) pods.push_back(&pod);
  }
  return pods;
}

// By priority, group before pod, QoS, start and uid; the least important one first.
std::vector<std::string> least_important_first(const GangWorld& world) {
  using Key = std::tuple<std::int32_t, bool, bool, Time, std::string>;
  std::vector<std::pair<Key, std::string>> keyed;
  for (const std::string& unit : units_up_to(world, kGang)) {
    const std::vector<const Pod*> pods = pods_of(world, unit);
    bool asks = false;  // Burstable; else BestEffort
    Time start = Time::max();
    for (const Pod* pod : pods) {
      asks = asks || amount_of_pod(*pod).cpu > 0 || amount_of_pod(*pod).memory > 0;
      start = std::min(start, pod->started.value());
    }
    const bool is_group = pods.front()->group.has_value();
    keyed.push_back({{-world.priority_of_unit.at(unit), !is_group, !asks, start, unit}, unit});
  }
  std::ranges::sort(keyed);
  std::vector<std::string> units;
  for (const auto& [key, unit] : keyed) units.insert(units.begin(), unit);
  return units;
}

// Each unit takes from what is left, one pod after the other; a hard budget gives all or nothing.
Broken broken_in(const GangWorld& world) {
  Broken broken;
  const std::vector<std::string> units = least_important_first(world);
  const auto covers = [](const std::optional<LabelSelector>& selector, const Pod& pod) {
    const auto app = pod.labels.find("app");
    return app != pod.labels.end() && selector->match_labels.at("app") == app->second;
  };
  std::map<std::string, std::int64_t> hard;  // what is left
  for (const DisruptionBudget& each : world.budgets.ours) {
    if (each.hard) hard[each.name] = *each.rate_disruptions;
  }
  for (const std::string& unit : units) {
    std::map<std::string, std::int64_t> left = hard;
    for (const Pod* pod : pods_of(world, unit)) {
      const auto app = pod->labels.find("app");
      if (app == pod->labels.end() || !hard.contains(app->second)) continue;
      if (--left[app->second] < 0) broken.kept.insert(unit);
    }
    if (!broken.kept.contains(unit)) hard = left;
  }
  const auto charge = [&](const auto& selector, std::int64_t left, std::set<std::string>& to) {
    for (const std::string& unit : units) {
      if (broken.kept.contains(unit)) continue;
      for (const Pod* pod : pods_of(world, unit)) {
        if (!covers(selector, *pod) || --left >= 0) continue;
        to.insert(unit);
        broken.pods.insert(pod->uid);
      }
    }
  };
  for (const PodDisruptionBudget& each : world.budgets.upstream) {
    charge(each.selector, each.disruptions_allowed, broken.pdb);
  }
  broken.pods_against_pdb = broken.pods;
  for (const DisruptionBudget& each : world.budgets.ours) {
    charge(each.selector, *each.rate_disruptions, broken.soft);
  }
  return broken;
}

std::set<std::string> without(std::set<std::string> units, const std::set<std::string>& those) {
  for (const std::string& each : those) units.erase(each);
  return units;
}

std::set<std::string> units_that_go(const GangWorld& world, const GroupSchedulingDecision& got) {
  std::set<std::string> units;
  for (const VictimReport& each : got.victims) units.insert(world.unit_of.at(each.uid));
  return units;
}

// The placement itself fits, on every node, when these units are gone.
bool placement_fits(const GangWorld& world, const GroupSchedulingDecision& got,
                    const std::set<std::string>& gone) {
  auto free = free_without(world, gone);
  for (const MemberPlacement& each : got.placements) {
    const auto pod = std::ranges::find(world.pods, each.uid, &Pod::uid);
    if (!fits(world, free[each.node], *pod)) return false;
    take(free[each.node], *pod);
  }
  return true;
}

bool breaks_one(const GangWorld& world, const GroupSchedulingDecision& got,
                const std::set<std::string>& breaking) {
  return std::ranges::any_of(units_that_go(world, got),
                             [&](const std::string& unit) { return breaking.contains(unit); });
}

// ---- the properties ----

TEST(GangProperties, MinCountOrNothingAndThePlacementFits) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    if (got.result == SchedulingResult::Unschedulable) {
      RC_ASSERT(got.placements.empty());
      RC_ASSERT(got.victims.empty());
      return;
    }
    RC_ASSERT(got.placements.size() >= static_cast<std::size_t>(*world.train.standing.min_count));
    RC_ASSERT(got.victims.empty() == (got.result == SchedulingResult::Bind));
    RC_ASSERT(placement_fits(world, got, units_that_go(world, got)));
  }));
}

TEST(GangProperties, WholeGroupsOfLowerPriorityGo) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    std::set<std::string> gone;
    for (const VictimReport& each : got.victims) {
      gone.insert(each.uid);
      RC_ASSERT(each.priority < kGang);
      RC_ASSERT(each.priority == world.priority_of_unit.at(world.unit_of.at(each.uid)));
    }
    for (const std::string& unit : units_that_go(world, got)) {
      for (const auto& [pod, of] : world.unit_of) {
        if (of == unit) RC_ASSERT(gone.contains(pod));
      }
    }
  }));
}

TEST(GangProperties, NoVictimsWhereItFitsWithoutAny) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    if (can_place_without(world, {})) RC_ASSERT(got.result == SchedulingResult::Bind);
  }));
}

TEST(GangProperties, FoundWhereverItFitsWithAllGone) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    const std::set<std::string> all = without(units_up_to(world, kGang), broken_in(world).kept);
    const bool possible = can_place_without(world, all);
    RC_ASSERT((got.result != SchedulingResult::Unschedulable) == possible);
  }));
}

TEST(GangProperties, NoLowerCeilingIsEnough) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    if (got.victims.empty()) return;
    std::int32_t ceiling = got.victims[0].priority;
    for (const VictimReport& each : got.victims) ceiling = std::max(ceiling, each.priority);
    const Broken broken = broken_in(world);
    std::set<std::string> lower = without(units_up_to(world, ceiling - 1), broken.kept);
    if (!breaks_one(world, got, broken.pdb)) lower = without(lower, broken.pdb);
    RC_ASSERT(!can_place_without(world, lower));
  }));
}

TEST(GangProperties, NoPodDisruptionBudgetIsBrokenWhereTheOtherUnitsAreEnough) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    const Broken broken = broken_in(world);
    const bool breaks = breaks_one(world, got, broken.pdb);
    RC_CLASSIFY(breaks);
    if (!breaks) return;
    const auto spared = without(without(units_up_to(world, kGang), broken.kept), broken.pdb);
    RC_ASSERT(!can_place_without(world, spared));
  }));
}

TEST(GangProperties, EachPodThatViolatesABudgetIsCounted) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    const Broken broken = broken_in(world);
    int violations = 0;
    for (const VictimReport& each : got.victims) {
      const std::string& unit = world.unit_of.at(each.uid);
      RC_ASSERT(!broken.kept.contains(unit));
      RC_ASSERT(each.violates_budget == (broken.pdb.contains(unit) || broken.soft.contains(unit)));
      violations += broken.pods.contains(each.uid) ? 1 : 0;
    }
    RC_ASSERT(got.budget_violations == violations);
  }));
}

// A DisruptionBudget that is not hard never costs a unit of a higher priority.
TEST(GangProperties, ASoftBudgetDoesNotRaiseTheHighestPriority) {
  EXPECT_TRUE(rc::check([] {
    GangWorld world = random_world();
    std::erase_if(world.budgets.ours, &DisruptionBudget::hard);
    const auto highest = [&world] {
      std::int32_t found = -1;
      for (const VictimReport& each : ask(world).victims) found = std::max(found, each.priority);
      return found;
    };
    const std::int32_t with = highest();
    world.budgets.ours.clear();
    RC_ASSERT(with == highest());
  }));
}

TEST(GangProperties, NoUnitCouldBePutBack) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    const std::set<std::string> gone = units_that_go(world, got);
    // Members above minCount do not keep a unit away, but stand beside what stays.
    for (const std::string& unit : gone) {
      std::set<std::string> less = gone;
      less.erase(unit);
      RC_ASSERT(!placement_fits(world, got, less));
    }
  }));
}

TEST(GangProperties, TheOrderOfTheInputDoesNotMatter) {
  EXPECT_TRUE(rc::check([] {
    const GangWorld world = random_world();
    GangWorld other = world;
    std::ranges::reverse(other.pods);
    std::ranges::reverse(other.nodes);
    RC_ASSERT(ask(world) == ask(other));
  }));
}

// How often the choice is the one of least harm: fewest violations of PodDisruptionBudgets, then
// the smallest sum of priorities, among all sets below the lowest ceiling.
TEST(GangProperties, LeastHarmIsMeasured) {
  int asked = 0;
  int least = 0;
  const auto play = [&] {
    const GangWorld world = random_world();
    const GroupSchedulingDecision got = ask(world);
    if (got.victims.empty()) return;
    const Broken broken = broken_in(world);
    const auto cost = [&](const std::set<std::string>& gone) {
      std::pair<std::int64_t, std::int64_t> sum;
      for (const auto& [pod, unit] : world.unit_of) {
        if (!gone.contains(unit)) continue;
        sum.first += broken.pods_against_pdb.contains(pod) ? 1 : 0;
        sum.second += world.priority_of_unit.at(unit) + (std::int64_t{1} << 31);
      }
      return sum;
    };
    std::int32_t ceiling = 0;
    for (const VictimReport& each : got.victims) ceiling = std::max(ceiling, each.priority);
    std::set<std::string> all = without(units_up_to(world, ceiling), broken.kept);
    if (!breaks_one(world, got, broken.pdb)) all = without(all, broken.pdb);
    const std::vector<std::string> units(all.begin(), all.end());
    auto best = cost(units_that_go(world, got));
    const auto ours = best;
    for (std::uint32_t set = 0; set < (1U << units.size()); ++set) {
      std::set<std::string> gone;
      for (std::size_t i = 0; i < units.size(); ++i) {
        if ((set >> i & 1U) != 0) gone.insert(units[i]);
      }
      if (cost(gone) < best && can_place_without(world, gone)) best = cost(gone);
    }
    ++asked;
    least += ours == best ? 1 : 0;
  };
  // One check: another one would begin with the same seed, and play the same worlds.
  EXPECT_TRUE(rc::check([&] {
    for (int round = 0; round < 20; ++round) play();
  }));
  EXPECT_GE(asked, 100);
  std::cout << "of " << asked << " choices of victims, " << least << " do the least harm\n";
  EXPECT_GE(least * 100, asked * 90);
}

}  // namespace
}  // namespace elbowroom::policy
