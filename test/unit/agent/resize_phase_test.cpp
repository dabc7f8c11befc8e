// How far a resize is, by what the reactor remembers of its pod.
#include "agent/resize_phase.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace elbowroom::agent {
namespace {

using enum ResizePhase;
using policy::Verdict;

struct Case {
  std::string name{};
  std::int64_t decided_generation = 2;  // of a pod at generation 2
  Verdict verdict = Verdict::Unchanged;
  bool resizing = false;
  bool allocating = false;
  ResizePhase phase = Settled;
};

TEST(ResizePhase, FollowsFromTheStateOfThePod) {
  const Case cases[] = {
      {.name = "a new pod", .decided_generation = -1, .phase = Undecided},
      {.name = "nothing is asked for", .phase = Settled},
      {.name = "the spec changed", .decided_generation = 1, .phase = Undecided},
      {.name = "the spec changed while it waited",
       .decided_generation = 1,
       .verdict = Verdict::Deferred,
       .phase = Undecided},
      {.name = "there is no room", .verdict = Verdict::Deferred, .phase = Deferred},
      {.name = "there is no room while an earlier resize is actuated",
       .verdict = Verdict::Deferred,
       .resizing = true,
       .phase = Deferred},
      {.name = "it never fits", .verdict = Verdict::Infeasible, .phase = Infeasible},
      {.name = "its allocation is being saved",
       .verdict = Verdict::Allocated,
       .allocating = true,
       .phase = Saving},
      {.name = "another one is saved while the first is actuated",
       .verdict = Verdict::Allocated,
       .resizing = true,
       .allocating = true,
       .phase = Saving},
      {.name = "the spec changed while an allocation is being saved",
       .decided_generation = 1,
       .verdict = Verdict::Allocated,
       .allocating = true,
       .phase = Saving},
      {.name = "the save failed",
       .decided_generation = -1,
       .verdict = Verdict::Allocated,
       .phase = Undecided},
      {.name = "saved, and not judged again",
       .verdict = Verdict::Allocated,
       .resizing = true,
       .phase = Actuating},
      {.name = "saved and judged again", .resizing = true, .phase = Actuating},
      {.name = "a dry run allocates nothing", .verdict = Verdict::Allocated, .phase = Settled},
  };
  for (const Case& each : cases) {
    PodState pod;
    pod.seen.uid = "uid-1";
    pod.seen.generation = 2;
    pod.decided_generation = each.decided_generation;
    pod.decision.verdict = each.verdict;
    pod.resizing = each.resizing;
    ReactorState state;
    if (each.allocating) state.allocating.insert(pod.seen.uid);
    state.allocating.insert("uid-2");
    EXPECT_EQ(phase_of(state, pod), each.phase) << each.name;
  }
}

}  // namespace
}  // namespace elbowroom::agent
