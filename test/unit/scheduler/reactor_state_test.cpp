// The state is one value: a reactor that continues from a copy of it does what the first one would
// have done, at every moment of a history.
#include "scheduler/reactor_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "scheduler/recording/recording_text.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;
using test::deferred;
using test::running_pod;
using test::SchedulerWorld;

ReactorOptions elected() {
  ReactorOptions options = SchedulerWorld::usual();
  options.leader_elect = true;
  options.elector.identity = "one";
  return options;
}

policy::Pod pending(const std::string& name, std::int64_t millis, std::int32_t priority) {
  policy::Pod pod = running_pod(name, millis, 0, priority);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.scheduler_name = "elbowroom";
  return pod;
}

// Every effect of the history, as text. `copies`: before each observation the reactor is replaced
// by one that continues from a copy of its state.
template <class History>
std::vector<std::string> effects_of(const ReactorOptions& options, bool copies, History history) {
  SchedulerWorld world(options);
  world.continues_from_copies = copies;
  std::vector<std::string> lines;
  world.did = [&](const Effects& effects) { lines.push_back(did_line(effects)); };
  history(world);
  return lines;
}

// Sets are removed, refused and repeated; the Lease, a watch and a budget are lost and come back.
void resizes(SchedulerWorld& world) {
  world.put(test::node(4000));
  world.put(deferred(running_pod("web", 1000, 0, 100), 4000));
  world.put(running_pod("a", 2000, 0, 10));
  world.put(running_pod("b", 1000, 0, 5));
  world.put(policy::PodDisruptionBudget{
      .ns = "default", .name = "pdb", .selector = policy::LabelSelector{}});
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/b") return std::nullopt;
    return Error{Code::Denied, "a webhook says no", seconds(3)};
  };
  world.start();
  world.tell(LeaseSeen{});
  world.tell(Unreadable{"Pod", "default/odd", "no uid", "", "node-1"});
  world.tell(Lost{Collection::Budgets, "connection refused"});
  world.tell(Back{Collection::Budgets});
  world.pass(seconds(100));
  world.tell(PodGone{"default/odd", ""});
  world.refuse = nullptr;
  world.pass(seconds(700));
  world.remove("default/a");
  world.tell(ServerDated{world.wall()});
  world.tell(BudgetGone{"default/pdb", ""});
  world.pass(seconds(700));
  world.tell(StopAsked{});
}

// Pods are bound, wait for victims, and lose their node again.
void placements(SchedulerWorld& world) {
  world.put(test::node(1000));
  world.put(test::node(2000, 64 * test::kGi, "node-2"));
  world.put(running_pod("low", 1000, 0, 1));
  for (int i = 0; i < 4; ++i) world.put(pending("p" + std::to_string(i), 700, 10 + i));
  world.lags = true;
  world.start();
  world.catch_up();
  world.keeps_back = "bind default/late";
  world.put(pending("late", 100, 50));
  world.pass(seconds(40));
  world.release();
  world.remove("default/low");
  world.pass(seconds(400));
  world.remove("default/p3");
  world.pass(seconds(400));
}

TEST(ReactorState, AReactorContinuesFromACopyAtAnyMoment) {
  const auto usual = effects_of(elected(), false, resizes);
  EXPECT_GT(usual.size(), 40U);
  EXPECT_EQ(effects_of(elected(), true, resizes), usual);
}

TEST(ReactorState, SoItDoesInModeFull) {
  ReactorOptions full = SchedulerWorld::usual();
  full.places_for = {"elbowroom"};
  const auto usual = effects_of(full, false, placements);
  EXPECT_GT(usual.size(), 30U);
  EXPECT_EQ(effects_of(full, true, placements), usual);
}

}  // namespace
}  // namespace elbowroom::scheduler
