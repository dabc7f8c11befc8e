// Properties of making room for Deferred resizes over random nodes, compared with plain sums
// computed here.
#include "policy/preemption/resize_preemption.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>

#include "policy/model/charge.h"
#include "policy/preemption/preemption_messages.h"
#include "policy/resize/retry_order.h"
#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::condition;
using test::deferred_to;
using test::figures;
using test::kNoon;
using test::NodeWorld;
using test::pod_of_size;
using Outcome = PreemptionOutcome;

int below(int limit) { return *rc::gen::inRange(0, limit); }

Pod random_pod(int number) {
  Pod pod =
      pod_of_size("p" + std::to_string(number), below(4), figures(below(6), below(6)), below(3));
  pod.uid = std::string(1, static_cast<char>('a' + below(26))) + std::to_string(number);
  pod.qos_in_status = *rc::gen::element(Qos::Guaranteed, Qos::Burstable, Qos::BestEffort);
  if (below(4) == 0) pod.started.reset();
  if (below(3) == 0) pod.labels["app"] = "x";
  if (below(3) == 0) pod.labels["tier"] = "y";
  if (below(8) == 0) pod.is_mirror = true;
  if (below(5) == 0) pod = test::terminating(pod, below(80) - 50);
  return pod;
}

PodDisruptionBudget random_budget(const std::string& name) {
  PodDisruptionBudget budget;
  budget.ns = "default";
  budget.name = name;
  const bool by_app = *rc::gen::arbitrary<bool>();
  budget.selector = LabelSelector{.match_labels = {{by_app ? "app" : "tier", by_app ? "x" : "y"}},
                                  .expressions = {}};
  budget.disruptions_allowed = below(3);
  return budget;
}

// One Deferred pod, "web" of priority 3, on a nearly full node of pods with priorities 0 to 3.
NodeWorld random_world() {
  NodeWorld world = test::world_of(0, 0);
  const Pod web = pod_of_size("web", 3, figures(1 + below(3), 1 + below(3)));
  world.pods.push_back(deferred_to(web, figures(below(8), below(8))));
  const int others = below(9);
  for (int i = 0; i < others; ++i) world.pods.push_back(random_pod(i));
  for (const Pod& pod : world.pods) add_to(world.node.allocatable, held_charge(pod));
  world.node.allocatable.cpu.value += below(3);
  world.node.allocatable.memory.value += below(3);
  if (below(2) == 0) world.budgets.upstream.push_back(random_budget("one"));
  if (below(2) == 0) world.budgets.upstream.push_back(random_budget("two"));
  return world;
}

// Does the growth of `web` fit beside the held charges of the pods that `stays` selects?
template <class Stays>
bool web_fits(const NodeWorld& world, Stays stays) {
  const Totals web = totals_of(world.pods.front());
  Resources used;
  for (const Pod& pod : world.pods) {
    if (pod.uid != world.pods.front().uid && stays(pod)) add_to(used, held_charge(pod));
  }
  for (const std::string_view name : {kCpu, kMemory}) {
    const std::int64_t wanted = amount_of(resizing_charge(web), name) + amount_of(used, name);
    if (raises(web, name) && wanted > amount_of(world.node.allocatable, name)) return false;
  }
  return true;
}

bool in_time(const Pod& pod) {
  return pod.deletion && kNoon < *pod.deletion + std::chrono::seconds{30};
}

bool chosen(const ResizePreemption& plan, const Pod& pod) {
  return std::ranges::any_of(plan.victims,
                             [&](const ChosenVictim& each) { return each.pod->uid == pod.uid; });
}

TEST(ResizePreemptionProperties, VictimsAreStrictlyLowerAndNeverOnTheirWayOut) {
  EXPECT_TRUE(rc::check([] {
    const NodeWorld world = random_world();
    for (const ChosenVictim& victim : test::plan(world, "web").victims) {
      RC_ASSERT(priority_of(*victim.pod) < 3);
      RC_ASSERT(!is_terminating(*victim.pod));
      RC_ASSERT(!victim.pod->is_mirror);
      RC_ASSERT(!victim.why.empty());
    }
  }));
}

TEST(ResizePreemptionProperties, WithoutTheVictimsItFitsAndWithAnyOneOfThemItDoesNot) {
  EXPECT_TRUE(rc::check([] {
    const NodeWorld world = random_world();
    const ResizePreemption plan = test::plan(world, "web");
    if (plan.outcome != Outcome::Preempt) return;
    RC_ASSERT(!plan.victims.empty());
    RC_ASSERT(web_fits(world, [&](const Pod& pod) { return !in_time(pod) && !chosen(plan, pod); }));
    for (const ChosenVictim& back : plan.victims) {
      RC_ASSERT(!web_fits(world, [&](const Pod& pod) {
        return !in_time(pod) && (pod.uid == back.pod->uid || !chosen(plan, pod));
      }));
    }
  }));
}

TEST(ResizePreemptionProperties, NobodyIsChosenWhenNobodyIsNeededOrWouldBeEnough) {
  EXPECT_TRUE(rc::check([] {
    const NodeWorld world = random_world();
    const ResizePreemption plan = test::plan(world, "web");
    const bool now = web_fits(world, [](const Pod&) { return true; });
    const bool soon = web_fits(world, [](const Pod& pod) { return !in_time(pod); });
    const bool ever = web_fits(world, [](const Pod& pod) {
      return !in_time(pod) && (is_terminating(pod) || pod.is_mirror || priority_of(pod) >= 3);
    });
    const Totals web = totals_of(world.pods.front());
    const bool grows = raises(web, kCpu) || raises(web, kMemory);
    const Outcome expected = !grows ? Outcome::NoVictims
                             : now  ? Outcome::NotNeeded
                             : soon ? Outcome::AwaitingVictims
                             : ever ? Outcome::Preempt
                                    : Outcome::NoVictims;
    RC_ASSERT(plan.outcome == expected);
    RC_ASSERT(plan.victims.empty() == (expected != Outcome::Preempt));
    RC_CLASSIFY(true, std::string(to_string(expected)));
  }));
}

// The plan as text, so that two of them can be compared.
std::string in_text(const ResizePreemption& plan) {
  std::string text = std::string(to_string(plan.by)) + " " + std::string(to_string(plan.outcome)) +
                     " " + plan.message.full() + " " + std::to_string(plan.budget_violations) +
                     "\n";
  for (const ChosenVictim& each : plan.victims) {
    text += each.pod->uid + (each.violates_budget ? " violates " : " ") + each.why + "\n";
  }
  for (const SparedPod& each : plan.considered) text += each.pod->uid + " " + each.why + "\n";
  return text;
}

template <class T>
void shuffle(std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<int>(i)))]);
  }
}

// Several Deferred pods, of which some are critical, shrinks and nominated pods.
NodeWorld busy_world() {
  NodeWorld world = random_world();
  world.rules = *rc::gen::element(RuleSet::Elbowroom, RuleSet::Upstream);
  world.critical_by_node = *rc::gen::arbitrary<bool>();
  for (Pod& pod : world.pods) {
    if (below(4) == 0) pod = deferred_to(pod, figures(below(8), below(8)));
    if (below(6) == 0) pod.priority = 2'000'000'000;
    if (below(6) == 0) pod.containers[0].allocated_requests = figures(below(3), below(3));
    if (below(9) == 0) pod.conditions.push_back(condition(kPodResizeInProgress, kReasonError));
  }
  for (int i = below(3); i-- > 0;) {
    world.nominated.push_back(random_pod(100 + i));
    world.nominated.back().node = "";
  }
  return world;
}

TEST(ResizePreemptionProperties, TheOrderOfInputDoesNotMatter) {
  EXPECT_TRUE(rc::check([] {
    const NodeWorld world = busy_world();
    NodeWorld other = world;
    shuffle(other.pods);
    shuffle(other.nominated);
    shuffle(other.budgets.upstream);
    for (const Pod& pod : world.pods) {
      RC_ASSERT(in_text(test::plan(world, pod.uid)) == in_text(test::plan(other, pod.uid)));
    }
  }));
}

TEST(ResizePreemptionProperties, NoPodMakesRoomTwiceAndAllAreLowerThanTheirPreemptor) {
  EXPECT_TRUE(rc::check([] {
    NodeWorld world = busy_world();
    world.rules = RuleSet::Elbowroom;
    const OverduePods lapsed = overdue_pods_at(world.pods, kNoon);
    std::set<std::string> gone;
    for (const PlannedResize& each :
         plan_resize_preemptions({.node = world.node,
                                  .pods = world.pods,
                                  .nominated = world.nominated,
                                  .budgets = world.budgets,
                                  .lapsed = lapsed,
                                  .critical_by_node = world.critical_by_node,
                                  .now = kNoon})) {
      RC_ASSERT(in_text(each.plan) == in_text(test::plan(world, each.pod->uid)));
      RC_ASSERT((each.plan.outcome == Outcome::Preempt) == !each.plan.victims.empty());
      for (const ChosenVictim& victim : each.plan.victims) {
        RC_ASSERT(gone.insert(victim.pod->uid).second);
        RC_ASSERT(priority_of(*victim.pod) < priority_of(*each.pod));
      }
    }
  }));
}

// What a node and other writers do between two decisions: terminating pods end, pods nominated here
// with at least the priority of `last` are bound if they fit, and resizes up to that of `last` are
// admitted if they fit, in retry order; each of these may happen or not.
void let_time_pass(NodeWorld& world, const std::string& last) {
  const std::int32_t priority = priority_of(*std::ranges::find(world.pods, last, &Pod::uid));
  const auto fits = [&](const Pod& pod, const Resources& charge, auto counts) {
    Resources used = charge;
    for (const Pod& each : world.pods) {
      if (each.uid == pod.uid || !holds_room(each)) continue;
      add_to(used, pod.node.empty() ? cluster_charge(each) : held_charge(each));
    }
    bool all = true;
    for_each_amount(charge, [&](std::string_view name, std::int64_t) {
      if (counts(name)) {
        all = all && amount_of(used, name) <= amount_of(world.node.allocatable, name);
      }
    });
    return all;
  };
  const auto bind = [&] {
    for (Pod pod : std::exchange(world.nominated, {})) {
      const bool is_bound = priority_of(pod) >= priority && !is_terminating(pod) && below(3) != 0 &&
                            fits(pod, cluster_charge(pod), [](std::string_view) { return true; });
      if (is_bound) pod.node = world.node.name;
      (is_bound ? world.pods : world.nominated).push_back(pod);
    }
  };
  const auto admit = [&] {
    std::vector<std::pair<RetryKey, Pod*>> order;
    for (Pod& pod : world.pods) {
      if (is_deferred(pod) && !is_terminating(pod)) order.emplace_back(retry_key(pod, 0), &pod);
    }
    std::ranges::sort(order, {}, [](const auto& each) { return each.first; });
    for (const auto& [key, pod] : order) {
      const Totals totals = totals_of(*pod);
      if (below(4) != 0 && fits(*pod, resizing_charge(totals),
                                [&](std::string_view name) { return raises(totals, name); })) {
        Container& app = pod->containers[0];
        app.allocated_requests = app.actual_requests = app.desired.requests;
        std::erase_if(pod->conditions,
                      [](const Condition& each) { return each.type == kPodResizePending; });
      }
      if (pod->uid == last) return;
    }
  };
  const auto leave = [&] {
    std::erase_if(world.pods, [](const Pod& pod) { return in_time(pod) && below(3) != 0; });
  };
  for (int step = below(6); step-- > 0;) {
    const int which = below(3);
    which == 0 ? leave() : which == 1 ? bind() : admit();
  }
}

// The world as text, for debugging a failure.
std::string in_text(const NodeWorld& world) {
  std::string text = "of " + in_words(world.node.allocatable) + "\n";
  for (const auto* pods : {&world.pods, &world.nominated}) {
    for (const Pod& pod : *pods) {
      const Totals totals = totals_of(pod);
      text += (pod.node.empty() ? "nominated " : "") + pod.uid + " priority " +
              std::to_string(priority_of(pod)) + " has " + in_words(held_charge(totals)) +
              " allocated " + in_words(totals.allocated) + " of " + in_words(totals.desired) +
              (is_deferred(pod) ? ", Deferred" : "") + (is_terminating(pod) ? ", leaves" : "") +
              (in_time(pod) ? " in time" : "") +
              (pod.preemption_policy == PreemptionPolicy::Never ? ", Never" : "") + "\n";
    }
  }
  return text;
}

// The plan predicted all room that other pods take first.
void look_again_when_the_victims_are_gone() {
  NodeWorld world = busy_world();
  world.rules = RuleSet::Elbowroom;
  world.critical_by_node = false;
  for (Pod& pod : world.pods) {
    if (below(3) == 0) pod.preemption_policy = PreemptionPolicy::Never;
    // Another amount that a growing pod frees may let in one that did not fit before; and a shrink
    // is never Deferred.
    Resources& desired = pod.containers[0].desired.requests;
    if (is_deferred(pod)) desired = max_of(desired, held_charge(totals_of(pod)));
  }
  const OverduePods lapsed = overdue_pods_at(world.pods, kNoon);
  std::set<std::string> gone;
  std::string last;
  for (const PlannedResize& each : plan_resize_preemptions({.node = world.node,
                                                            .pods = world.pods,
                                                            .nominated = world.nominated,
                                                            .budgets = world.budgets,
                                                            .lapsed = lapsed,
                                                            .now = kNoon})) {
    if (each.plan.outcome != Outcome::Preempt) continue;
    for (const ChosenVictim& victim : each.plan.victims) gone.insert(victim.pod->uid);
    last = each.pod->uid;
    if (below(2) == 0) break;
  }
  if (last.empty()) return;
  RC_LOG() << in_text(world) << "then\n";
  std::erase_if(world.pods, [&](const Pod& pod) { return gone.contains(pod.uid); });
  let_time_pass(world, last);
  const ResizePreemption again = test::plan(world, last);
  RC_LOG() << in_text(world) << last << ": " << in_text(again);
  RC_ASSERT(again.outcome != Outcome::Preempt);
}

TEST(ResizePreemptionProperties, WhenTheVictimsAreGoneNobodyElseHasToGo) {
  EXPECT_TRUE(rc::check([] {
    for (int i = 0; i < 5; ++i) look_again_when_the_victims_are_gone();
  }));
}

// KEP-5836, "Risk of Additional Preemption", for any X.
TEST(ResizePreemptionProperties, TheFourPodExampleCostsOnePodAndThreeByUpstreamsRules) {
  EXPECT_TRUE(rc::check([] {
    const std::int64_t half = 1 + below(1'000'000);
    NodeWorld world = test::world_of(4 * half);
    const auto pod = [&](const std::string& name, std::int32_t priority, std::int64_t desired) {
      return deferred_to(pod_of_size(name, priority, figures(half)), figures(desired));
    };
    world.pods = {pod("pod1", 1000, 2 * half), pod("pod2", 0, 4 * half), pod("pod3", 0, 4 * half),
                  pod("pod4", 0, 4 * half)};
    shuffle(world.pods);
    RC_ASSERT(test::victims(world, "pod1") == (std::set<std::string>{"pod4"}));
    world.rules = RuleSet::Upstream;
    RC_ASSERT(test::victims(world, "pod1") == (std::set<std::string>{"pod2", "pod3", "pod4"}));
  }));
}

}  // namespace
}  // namespace elbowroom::policy
