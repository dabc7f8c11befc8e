// Properties of the scheduler over random nodes: the reactor's removals compared with plain sums
// computed here, and the snapshot compared with its input.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/model/charge.h"
#include "policy/resize/resize.h"
#include "test/random_values.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using test::amounts;
using test::kMi;
using test::running_pod;
using test::SchedulerWorld;

int below(int limit) { return *rc::gen::inRange(0, limit); }

template <class T>
void shuffle(std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<int>(i)))]);
  }
}

struct World {
  policy::Node node{};
  std::vector<Pod> pods{};  // the first one is "web", whose resize is Deferred
  std::vector<policy::PodDisruptionBudget> budgets{};
};

policy::PodDisruptionBudget random_budget(const std::string& name) {
  policy::PodDisruptionBudget budget;
  budget.ns = "default";
  budget.name = name;
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  budget.disruptions_allowed = below(3);
  return budget;
}

World random_world() {
  World world;
  Pod web = running_pod("web", 100 * (1 + below(4)), kMi * (1 + below(4)), 20);
  world.pods.push_back(test::deferred(web, 100 * (1 + below(9)), kMi * (1 + below(9))));
  const int others = below(9);
  for (int i = 0; i < others; ++i) {
    Pod pod = running_pod("p" + std::to_string(i), 100 * below(6), kMi * below(6), 10 * below(4));
    if (below(3) == 0) pod.labels["app"] = "x";
    if (below(8) == 0) pod.is_mirror = true;
    pod.started = policy::Time{std::chrono::seconds(below(4))};
    world.pods.push_back(pod);
  }
  policy::Resources held;
  for (const Pod& pod : world.pods) policy::add_to(held, policy::held_charge(pod));
  world.node = test::node(held.cpu.value + 100 * below(3), held.memory.value + kMi * below(3));
  if (below(2) == 0) world.budgets.push_back(random_budget("one"));
  return world;
}

void put(SchedulerWorld& in, const World& world) {
  in.put(world.node);
  for (const Pod& pod : world.pods) in.put(pod);
  for (const auto& budget : world.budgets) in.put(budget);
}

// The names of those that were deleted, each at most once.
std::set<std::string> deleted(SchedulerWorld& world) {
  std::set<std::string> names;
  for (const std::string& each : world.writes()) {
    if (each.starts_with("delete default/")) RC_ASSERT(names.insert(each.substr(15)).second);
  }
  return names;
}

// The node's verdict on web's resize with only the pods that `stays` selects.
template <class Stays>
bool admits(const World& world, Stays stays) {
  std::vector<Pod> left;
  for (const Pod& pod : world.pods) {
    if (pod.name == "web" || stays(pod)) left.push_back(pod);
  }
  const Pod& web = world.pods.front();
  return policy::decide_resize(world.node, web, policy::held_by_others(left, web.uid), {})
             .verdict == policy::Verdict::Allocated;
}

TEST(SchedulerProperties, TheNodeAdmitsWhatRoomWasMadeForAndNobodyWentInVain) {
  EXPECT_TRUE(rc::check([] {
    const World world = random_world();
    SchedulerWorld cluster;
    put(cluster, world);
    cluster.start();
    const std::set<std::string> gone = deleted(cluster);
    for (const Pod& pod : world.pods) {
      if (gone.contains(pod.name)) RC_ASSERT(policy::priority_of(pod) < 20 && !pod.is_mirror);
    }
    const bool now = admits(world, [](const Pod&) { return true; });
    const bool ever = admits(
        world, [](const Pod& pod) { return pod.is_mirror || policy::priority_of(pod) >= 20; });
    RC_ASSERT(gone.empty() == (now || !ever));
    RC_CLASSIFY(!gone.empty(), "removes");
    if (gone.empty()) return;
    RC_ASSERT(admits(world, [&](const Pod& pod) { return !gone.contains(pod.name); }));
    for (const std::string& back : gone) {
      RC_ASSERT(!admits(
          world, [&](const Pod& pod) { return pod.name == back || !gone.contains(pod.name); }));
    }
    // When the victims are gone, no further pod is removed.
    for (const std::string& name : gone) cluster.remove("default/" + name);
    cluster.pass(std::chrono::minutes(2));
    RC_ASSERT(deleted(cluster).empty());
    RC_ASSERT(cluster.waiting("default/web").result == TurnResult::Fits);
  }));
}

TEST(SchedulerProperties, NobodyGoesWhileThoseWhoLeaveAreEnough) {
  EXPECT_TRUE(rc::check([] {
    World world = random_world();
    SchedulerWorld cluster;
    for (Pod& pod : world.pods) {
      if (pod.name == "web" || below(2) == 0) continue;
      pod.deletion = cluster.wall() + std::chrono::seconds(30);
      pod.deletion_grace_seconds = 30;
    }
    put(cluster, world);
    cluster.start();
    const bool soon = admits(world, [](const Pod& pod) { return !pod.deletion; });
    if (soon) RC_ASSERT(deleted(cluster).empty());
    RC_CLASSIFY(soon, "will fit");
  }));
}

TEST(SchedulerProperties, ASuccessorFinishesTheSameSet) {
  EXPECT_TRUE(rc::check([] {
    const World world = random_world();
    SchedulerWorld cluster;
    put(cluster, world);
    // It ends after the marks and before the deletes.
    cluster.refuse = [](const std::string& effect) -> std::optional<Error> {
      if (!effect.starts_with("delete ")) return std::nullopt;
      return Error{Code::Unavailable, "the process ended", {}};
    };
    cluster.start();
    std::set<std::string> marked;
    for (const std::string& each : cluster.writes()) {
      if (each.starts_with("mark default/")) marked.insert(each.substr(13));
    }
    // In the meantime other pods look like better victims.
    for (const Pod& pod : world.pods) {
      if (pod.name == "web" || marked.contains(pod.name)) continue;
      Pod worse = cluster.pod(policy::key_of(pod));
      worse.started = policy::Time{std::chrono::seconds(100)};
      cluster.put(worse);
    }
    cluster.refuse = nullptr;
    cluster.restart();
    cluster.start();
    RC_ASSERT(deleted(cluster) == marked);
    RC_CLASSIFY(marked.size() > 1, "a set");
  }));
}

// The marks and deletes from the lists of one moment, in the order of the input.
std::vector<Victim> chosen(const World& world, int order) {
  Reactor reactor(SchedulerWorld::usual());
  static_cast<void>(reactor.handle({.at = {}, .what = OwnBudgetsListed{}}));
  static_cast<void>(reactor.handle({.at = {}, .what = PodGroupsListed{}}));
  PodsListed pods;
  for (const Pod& pod : world.pods) pods.objects.push_back(cluster::PackedPod::packed(pod));
  std::vector<decltype(Observation::what)> told = {NodesListed{{world.node}}, std::move(pods),
                                                   BudgetsListed{world.budgets}};
  std::ranges::rotate(told, told.begin() + order % 3);
  if (order > 2) std::swap(told[0], told[1]);
  std::vector<Victim> victims;
  for (auto& what : told) {
    for (const Effect& effect : reactor.handle({.at = {}, .what = std::move(what)})) {
      if (const auto* mark = std::get_if<MarkVictim>(&effect.what)) victims.push_back(mark->victim);
    }
  }
  return victims;
}

TEST(SchedulerProperties, TheOrderOfWhatIsToldAtOneMomentDoesNotMatter) {
  EXPECT_TRUE(rc::check([] {
    const World world = random_world();
    const std::vector<Victim> victims = chosen(world, 0);
    World other = world;
    shuffle(other.pods);
    shuffle(other.budgets);
    RC_ASSERT(chosen(other, below(6)) == victims);
    RC_CLASSIFY(!victims.empty(), "removes");
  }));
}

TEST(PackedPodProperties, WhatComesOutIsWhatWentInLessWhatNobodyDecidesBy) {
  EXPECT_TRUE(rc::check([] {
    test::RandomValues random(*rc::gen::arbitrary<std::uint64_t>());
    Pod pod = random.make<Pod>();
    pod.ns = "ns" + std::to_string(random.below(3));  // the API's names have no slash
    pod.name = "pod" + std::to_string(random.below(3));
    const auto packed = cluster::PackedPod::packed(pod);
    RC_ASSERT(packed.unpacked() == cluster::as_packed(pod));
    RC_ASSERT(std::string(packed.key()) == policy::key_of(pod));
    RC_ASSERT(std::string(packed.node()) == pod.node);
  }));
}

// ---- the snapshot ----

Pod some_pod(int number) {
  Pod pod = running_pod("p" + std::to_string(number), 100 * below(5), 0, below(3));
  pod.uid += "-" + std::to_string(below(2));
  pod.node = below(4) == 0 ? "" : "node-" + std::to_string(below(3));
  if (pod.node.empty() && below(2) == 0) pod.nominated_node = "node-" + std::to_string(below(3));
  if (below(6) == 0) pod.phase = policy::Phase::Succeeded;
  if (below(4) == 0) pod = test::deferred(pod, 100 * below(9));
  return pod;
}

struct Told {  // the states of one object in order; nothing: removed
  std::vector<std::optional<Pod>> states{};
};

void expect_same(const cluster::Snapshot& a, const cluster::Snapshot& b) {
  const auto sorted = [](std::vector<std::string> keys) {
    std::ranges::sort(keys);
    return keys;
  };
  RC_ASSERT(sorted(a.pod_keys()) == sorted(b.pod_keys()));
  RC_ASSERT(sorted(a.node_names()) == sorted(b.node_names()));
  for (int i = 0; i < 3; ++i) {
    const std::string name = "node-" + std::to_string(i);
    RC_ASSERT(a.pods_of(name) == b.pods_of(name));
    const auto one = a.view(name);
    const auto two = b.view(name);
    RC_ASSERT(one.has_value() == two.has_value());
    if (!one) continue;
    RC_ASSERT(one->node == two->node);
    RC_ASSERT(one->nominated == two->nominated);
    RC_ASSERT(one->budgets.upstream == two->budgets.upstream);
    RC_ASSERT(one->contradiction == two->contradiction);
  }
}

TEST(SnapshotProperties, EventsInAnyOrderWithDuplicatesAreTheFinalList) {
  EXPECT_TRUE(rc::check([] {
    cluster::Snapshot told;
    cluster::Snapshot listed;
    std::vector<Told> objects(static_cast<std::size_t>(1 + below(5)));
    std::vector<std::size_t> turns;  // the object whose next state is sent
    for (std::size_t i = 0; i < objects.size(); ++i) {
      for (int count = 1 + below(5); count > 0; --count) {
        objects[i].states.push_back(below(4) == 0 ? std::nullopt
                                                  : std::optional(some_pod(static_cast<int>(i))));
        turns.push_back(i);
      }
    }
    shuffle(turns);
    std::vector<std::size_t> at(objects.size(), 0);
    std::map<std::size_t, Pod> before;
    const auto tell = [&](std::size_t i, const std::optional<Pod>& state) {
      if (state) {
        before[i] = *state;
        (void)told.put(cluster::PackedPod::packed(*state));
      } else if (before.contains(i)) {
        (void)told.remove_pod(policy::key_of(before[i]), before[i].uid);
      }
    };
    for (const std::size_t i : turns) {
      const auto& state = objects[i].states[at[i]++];
      for (int times = below(3) == 0 ? 2 : 1; times > 0; --times) tell(i, state);
    }
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (const auto& last = objects[i].states.back()) {
        (void)listed.put(cluster::PackedPod::packed(*last));
      }
    }
    for (int i = 0; i < 3; ++i) {
      if (below(3) == 0) continue;
      const policy::Node node = test::node(4000, test::kGi, "node-" + std::to_string(i));
      (void)told.put(test::node(100, 0, node.name));
      (void)told.put(node);
      (void)listed.put(node);
    }
    expect_same(told, listed);
  }));
}

}  // namespace
}  // namespace elbowroom::scheduler
