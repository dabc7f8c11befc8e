// Properties of making room for a Deferred resize where pods form random units, some with a pod on
// another node, against sums made here in the plainest way.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "policy/model/charge.h"
#include "policy/preemption/resize_preemption.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::deferred_to;
using test::figures;
using test::NodeWorld;
using test::pod_of_size;
using Outcome = PreemptionOutcome;

constexpr std::int32_t kPreemptor = 3;

int below(int limit) { return *rc::gen::inRange(0, limit); }

Pod random_pod(const std::string& name) {
  Pod pod = pod_of_size(name, below(5), figures(below(6), below(6)), below(3));
  pod.qos_in_status = *rc::gen::element(Qos::Guaranteed, Qos::Burstable, Qos::BestEffort);
  if (below(3) == 0) pod.labels["app"] = "x";
  if (below(12) == 0) pod.is_mirror = true;
  if (below(3) == 0) pod.claimed = {{below(2) == 0 ? "c" : "d", figures(2)}};
  return pod;
}

// "web" and others on a full node. By uid, the group of each pod; "" for a unit of one.
struct UnitWorld {
  NodeWorld node = test::world_of(0, 0);
  std::map<std::string, std::string> group_of{};
  std::map<std::string, std::int32_t> priority_of_group{};

  // The standing of each pod's group.
  void make_groups() {
    for (std::vector<Pod>* pods : {&node.pods, &node.elsewhere}) {
      for (Pod& pod : *pods) {
        const auto of = group_of.find(pod.uid);
        if (of == group_of.end()) continue;
        pod.scheduling_group = of->second;
        pod.group = {.uid = of->second,
                     .priority = priority_of_group.at(of->second),
                     .mode = DisruptionMode::All};
      }
    }
  }
  [[nodiscard]] ResizePreemption plan() const { return test::plan(node, "web"); }
  // The pods that are removed or stay together with that one.
  [[nodiscard]] std::set<std::string> unit_of(const std::string& uid) const {
    const auto of = group_of.find(uid);
    std::set<std::string> uids = {uid};
    if (of == group_of.end()) return uids;
    for (const auto& [other, group] : group_of) {
      if (group == of->second) uids.insert(other);
    }
    return uids;
  }
};

void fill(UnitWorld& world) {
  const Pod web = pod_of_size("web", kPreemptor, figures(1 + below(3), 1 + below(3)));
  world.node.pods.push_back(deferred_to(web, figures(below(8), below(8))));
  for (const char* group : {"g1", "g2"}) world.priority_of_group[group] = below(5);
  const int others = below(9);
  for (int i = 0; i < others; ++i) {
    const std::string name = "p" + std::to_string(i);
    world.node.pods.push_back(random_pod(name));
    const int group = below(3);
    if (group > 0) world.group_of[name] = "g" + std::to_string(group);
  }
  if (below(2) == 0) {
    world.node.elsewhere.push_back(random_pod("far"));
    world.group_of["far"] = "g1";
  }
  for (const Pod& pod : world.node.pods) add_to(world.node.node.allocatable, held_charge(pod));
  world.node.node.allocatable.cpu.value += below(2);
  world.node.node.allocatable.memory.value += below(2);
  if (below(2) == 0) {
    world.node.budgets.upstream.push_back(
        {.ns = "default",
         .name = "x",
         .selector = LabelSelector{.match_labels = {{"app", "x"}}},
         .disruptions_allowed = below(3)});
  }
  world.make_groups();
}

std::set<std::string> uids_of(const ResizePreemption& plan) {
  std::set<std::string> uids;
  for (const ChosenVictim& each : plan.victims) uids.insert(each.pod->uid);
  return uids;
}

bool web_fits_without(const NodeWorld& world, const std::set<std::string>& gone) {
  const Totals web = totals_of(world.pods.front());
  Resources used;
  std::set<std::string> claims;
  for (const Pod& pod : world.pods) {
    if (pod.uid == "web" || gone.contains(pod.uid)) continue;
    add_to(used, held_charge(pod));
    for (const ClaimedResources& each : pod.claimed) {
      if (!claims.insert(each.claim).second) used.cpu.value -= 2;  // counted with another pod
    }
  }
  for (const std::string_view name : {kCpu, kMemory}) {
    const std::int64_t wanted = amount_of(resizing_charge(web), name) + amount_of(used, name);
    if (raises(web, name) && wanted > amount_of(world.node.allocatable, name)) return false;
  }
  return true;
}

TEST(UnitProperties, AUnitIsRemovedWithAllItsPodsOrWithNone) {
  EXPECT_TRUE(rc::check([] {
    UnitWorld world;
    fill(world);
    const ResizePreemption plan = world.plan();
    const std::set<std::string> gone = uids_of(plan);
    RC_ASSERT(gone.size() == plan.victims.size());
    for (const std::string& uid : gone) {
      for (const std::string& other : world.unit_of(uid)) RC_ASSERT(gone.contains(other));
    }
    for (const ChosenVictim& each : plan.victims) {
      RC_ASSERT(each.priority < kPreemptor);
      RC_ASSERT(!each.pod->is_mirror);
    }
    RC_CLASSIFY(!plan.victims.empty());
  }));
}

TEST(UnitProperties, WithoutTheVictimsItFitsAndWithAnyUnitOfThemItDoesNot) {
  EXPECT_TRUE(rc::check([] {
    UnitWorld world;
    fill(world);
    const ResizePreemption plan = world.plan();
    if (plan.outcome != Outcome::Preempt) return;
    const std::set<std::string> gone = uids_of(plan);
    RC_ASSERT(web_fits_without(world.node, gone));
    for (const std::string& uid : gone) {
      std::set<std::string> less = gone;
      for (const std::string& other : world.unit_of(uid)) less.erase(other);
      RC_ASSERT(!web_fits_without(world.node, less));
    }
  }));
}

TEST(UnitProperties, TheOrderOfThePodsDoesNotMatter) {
  EXPECT_TRUE(rc::check([] {
    UnitWorld world;
    fill(world);
    world.node.rules = *rc::gen::element(RuleSet::Elbowroom, RuleSet::Upstream);
    UnitWorld other = world;
    std::ranges::reverse(other.node.pods);
    other.make_groups();
    const ResizePreemption one = world.plan();
    const ResizePreemption two = other.plan();
    RC_ASSERT(one.message == two.message.full());
    RC_ASSERT(one.budget_violations == two.budget_violations);
    const auto same = [](const ChosenVictim& a, const ChosenVictim& b) {
      return a.pod->uid == b.pod->uid && a.why == b.why && a.priority == b.priority;
    };
    RC_ASSERT(std::ranges::equal(one.victims, two.victims, same));
  }));
}

}  // namespace
}  // namespace elbowroom::policy
