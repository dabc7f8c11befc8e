// Which of two records of a pod's allocation is newer: the checkpoint's, or that of API server and
// runtime.
#include "agent/checkpoint/later_allocation.h"

#include <gtest/gtest.h>

#include <string>

#include "agent/pod_view.h"
#include "cri/convert.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using test::amounts;
using test::kGi;
using test::resized;
using test::running_pod;

PodReport running_with(std::int64_t cpu_m, std::int64_t memory_limit = 0) {
  PodReport report;
  report.containers["app"] = {
      .id = "c",
      .state = policy::RunState::Running,
      .size = cri::resources_for({.requests = amounts(cpu_m), .limits = amounts(0, memory_limit)})};
  return report;
}

PodAllocation promised(std::int64_t cpu_m, std::int64_t generation) {
  PodAllocation made{.ns = "default", .name = "web", .generation = generation};
  made.containers["app"].requests = amounts(cpu_m);
  return made;
}

// At generation 5, allocated and running with `has`, asking for `wants`.
policy::Pod shown(std::int64_t has, std::int64_t wants) {
  policy::Pod pod = resized(running_pod("web", has), wants);
  pod.generation = 5;
  return pod;
}

policy::Pod with(policy::Pod pod, const std::string& type, std::int64_t generation) {
  pod.conditions.push_back({.type = type, .status = "True", .observed_generation = generation});
  return pod;
}

// Millicores of what counts instead of the checkpoint; "checkpoint" where that counts.
std::string counts(const policy::Pod& seen, const PodAllocation& promised,
                   const std::optional<PodReport>& report) {
  const auto later = later_allocation(seen, promised, report ? &*report : nullptr);
  return later ? std::to_string(later->containers.at("app").requests.cpu.value) : "checkpoint";
}

TEST(LaterAllocation, AfterACrashTheCheckpointIsAheadAndCounts) {
  // Allocated at generation 5, not carried out, not shown yet.
  EXPECT_EQ(counts(shown(1000, 2000), promised(2000, 5), running_with(1000)), "checkpoint");
  EXPECT_EQ(
      counts(with(shown(1000, 2000), "PodResizePending", 5), promised(2000, 5), running_with(1000)),
      "checkpoint");
  // Carried out, not shown yet.
  EXPECT_EQ(counts(shown(1000, 2000), promised(2000, 5), running_with(2000)), "checkpoint");
  // The pod was given another spec since; the allocated size runs.
  EXPECT_EQ(counts(shown(1000, 3000), promised(2000, 4), running_with(2000)), "checkpoint");
  // The condition is about the generation of the allocation, or an earlier one.
  EXPECT_EQ(counts(with(shown(1000, 3000), "PodResizeInProgress", 4), promised(2000, 4),
                   running_with(2000)),
            "checkpoint");
}

TEST(LaterAllocation, WhatStandsBesideAConditionOfALaterGenerationCounts) {
  for (const char* type : {"PodResizePending", "PodResizeInProgress"}) {
    EXPECT_EQ(counts(with(shown(2000, 3000), type, 4), promised(1000, 3), running_with(1000)),
              "2000")
        << type;
    EXPECT_EQ(counts(with(shown(2000, 3000), type, 4), promised(1000, 3), {}), "2000");
  }
  // The same allocation, a condition of no generation, of one to come, that is not True.
  policy::Pod odd = with(shown(2000, 3000), "PodResizePending", 6);
  EXPECT_EQ(counts(odd, promised(1000, 3), running_with(1000)), "checkpoint");
  odd.conditions[0].observed_generation.reset();
  EXPECT_EQ(counts(odd, promised(1000, 3), running_with(1000)), "checkpoint");
  odd.conditions[0].observed_generation = 4;
  odd.conditions[0].status = "False";
  EXPECT_EQ(counts(odd, promised(1000, 3), running_with(1000)), "checkpoint");
  EXPECT_EQ(
      counts(with(shown(1000, 3000), "PodResizePending", 4), promised(1000, 3), running_with(1000)),
      "checkpoint");
  // Without a condition about what was allocated.
  policy::Pod silent = with(shown(2000, 3000), "PodResizePending", 4);
  silent.containers[0].allocated_requests.reset();
  EXPECT_EQ(counts(silent, promised(1000, 3), running_with(1000)), "checkpoint");
}

TEST(LaterAllocation, WhatIsShownAndRunsCountsAndNotWhatWasPromisedBefore) {
  EXPECT_EQ(counts(shown(2000, 2000), promised(1000, 3), running_with(2000)), "2000");
  EXPECT_EQ(counts(shown(2000, 3000), promised(1000, 3), running_with(2000)), "2000");
  EXPECT_EQ(counts(shown(1000, 3000), promised(2000, 3), running_with(1000)), "1000");
  // The API server is behind: what runs is what the spec wants.
  EXPECT_EQ(counts(shown(1000, 2000), promised(1500, 3), running_with(2000)), "2000");
  // What runs is something else: another program resized it, and only the checkpoint counts.
  EXPECT_EQ(counts(shown(2000, 3000), promised(1000, 3), running_with(2500)), "checkpoint");
  EXPECT_EQ(counts(shown(2000, 3000), promised(1000, 3), {}), "checkpoint");
}

TEST(LaterAllocation, WithoutAnotherSpecOrAGenerationNothingIsLater) {
  EXPECT_EQ(counts(shown(2000, 2000), promised(1000, 5), running_with(2000)), "checkpoint");
  EXPECT_EQ(counts(shown(2000, 2000), promised(1000, 0), running_with(2000)), "checkpoint");
}

TEST(LaterAllocation, ALimitAloneIsSeenInWhatRuns) {
  policy::Pod pod = shown(1000, 3000);
  pod.containers[0].actual_limits = amounts(0, 2 * kGi);
  PodAllocation old = promised(1000, 3);
  old.containers["app"].limits = amounts(0, kGi);
  const PodReport report = running_with(1000, 2 * kGi);
  const auto later = later_allocation(pod, old, &report);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->containers.at("app").limits.memory.value, 2 * kGi);
}

TEST(LaterAllocation, AContainerThatDoesNotRunTellsNothing) {
  PodReport report = running_with(2000);
  report.containers["app"].state = policy::RunState::Terminated;
  EXPECT_EQ(counts(shown(2000, 3000), promised(1000, 3), report), "checkpoint");
  report.containers["app"].state = policy::RunState::Running;
  report.containers["app"].size.reset();  // not read yet
  EXPECT_EQ(counts(shown(2000, 2000), promised(1000, 3), report), "checkpoint");
}

// No condition is set then, and after a reboot nothing runs.
TEST(LaterAllocation, WhatIsShownAndWantedAtALaterGenerationCountsWhereNothingRuns) {
  PodReport ended = running_with(1000);
  ended.containers["app"].state = policy::RunState::Terminated;
  for (const std::int64_t old : {1000, 3000}) {
    EXPECT_EQ(counts(shown(2000, 2000), promised(old, 3), {}), "2000");
    EXPECT_EQ(counts(shown(2000, 2000), promised(old, 3), ended), "2000");
    // After a crash: carried out, not shown yet, and the spec was taken back since.
    EXPECT_EQ(counts(shown(2000, 2000), promised(old, 4), running_with(old)), "checkpoint");
    // What runs was allocated by neither.
    EXPECT_EQ(counts(shown(2000, 2000), promised(old, 3), running_with(2500)), "2000");
    EXPECT_EQ(counts(shown(2000, 2000), promised(old, 5), {}), "checkpoint");
    EXPECT_EQ(counts(shown(2000, 2000), promised(old, 6), {}), "checkpoint");
    EXPECT_EQ(counts(shown(2000, 2000), promised(old, 0), {}), "checkpoint");
  }
  EXPECT_EQ(counts(shown(2000, 2000), promised(2000, 3), {}), "checkpoint") << "the same";
  policy::Pod silent = shown(2000, 2000);
  silent.containers[0].allocated_requests.reset();
  EXPECT_EQ(counts(silent, promised(1000, 3), {}), "checkpoint");
}

// A request of memory does not run: what runs does not tell one allocation from another.
TEST(LaterAllocation, WhatRunsEitherWayIsNoWordAgainstTheStatus) {
  policy::Pod pod = shown(1000, 1000);
  for (auto* of : {&pod.containers[0].desired.requests, &*pod.containers[0].allocated_requests}) {
    of->memory.value = 2 * kGi;
  }
  PodAllocation old = promised(1000, 3);
  old.containers["app"].requests.memory.value = kGi;
  const PodReport report = running_with(1000);
  const auto later = later_allocation(pod, old, &report);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->containers.at("app").requests.memory.value, 2 * kGi);
  EXPECT_EQ(later->generation, 5);
}

TEST(LaterAllocation, NoMoreMemoryThanThereIsRoomFor) {
  PodAllocation later = promised(2000, 5);
  later.containers["app"].requests.memory.value = 4 * kGi;
  PodAllocation old = promised(1000, 3);
  old.containers["app"].requests.memory.value = kGi;
  const auto kept = [&](std::int64_t others) {
    const PodAllocation made = within_room(later, old,
                                           {.allocatable = amounts(2000, 8 * kGi),
                                            .others = amounts(1000, others),
                                            .held = amounts(2000, kGi)});
    // It runs with that cpu, whatever there is of it.
    EXPECT_EQ(made.containers.at("app").requests.cpu.value, 2000);
    return made.containers.at("app").requests.memory.value;
  };
  EXPECT_EQ(kept(4 * kGi), 4 * kGi);
  EXPECT_EQ(kept(4 * kGi + 1), kGi);
}

}  // namespace
}  // namespace elbowroom::agent
