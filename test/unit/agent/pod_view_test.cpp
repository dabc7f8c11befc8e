#include "agent/pod_view.h"

#include <gtest/gtest.h>

#include "agent/next_step.h"
#include "cri/convert.h"
#include "policy/model/capped_pod.h"
#include "policy/resize/resize.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using test::amounts;
using test::kGi;
using test::kMi;
using test::resized;
using test::running_pod;

PodReport report_of(const policy::Requirements& size) {
  PodReport report;
  report.containers["app"] = {
      .id = "c-1", .state = policy::RunState::Running, .size = cri::resources_for(size)};
  return report;
}

TEST(PodView, ActualIsTheAllocatedFigureWhereTheConvertedOneIsReadBack) {
  // 333m is 340 shares, which would read back as 333m only through the allocated figure.
  const policy::Pod seen = running_pod("web", 333);
  const PodAllocation given = desired_allocation(seen);
  const policy::Pod view = view_of(seen, &given, nullptr);
  const PodReport report = report_of(given.containers.at("app"));
  EXPECT_EQ(view_of(seen, &given, &report).containers[0].actual_requests->cpu.value, 333);
  EXPECT_EQ(view.containers[0].allocated_requests->cpu.value, 333);
}

TEST(PodView, ARequestThatShrinksHoldsWhatItHeldUntilTheLimitIsLowered) {
  policy::Pod seen = running_pod("web", 100, 2 * kGi);
  seen.containers[0].actual_limits = amounts(0, 2 * kGi);
  PodAllocation given = desired_allocation(seen);
  given.containers["app"] = {amounts(100, kGi), amounts(0, kGi)};
  const PodReport before = report_of({amounts(100, 2 * kGi), amounts(0, 2 * kGi)});
  EXPECT_EQ(policy::held_charge(view_of(seen, &given, &before)).memory.value, 2 * kGi);
  const PodReport after = report_of({amounts(100, kGi), amounts(0, kGi)});
  EXPECT_EQ(policy::held_charge(view_of(seen, &given, &after)).memory.value, kGi);
}

TEST(PodView, ATerminatingPodWithoutContainersHoldsNoRoom) {
  policy::Pod seen = running_pod("web", 100);
  const PodAllocation given = desired_allocation(seen);
  const PodReport empty;
  EXPECT_TRUE(policy::holds_room(view_of(seen, &given, &empty)));
  seen.deletion = policy::Time{};
  EXPECT_FALSE(policy::holds_room(view_of(seen, &given, &empty)));
}

// Its containers are not kept one by one.
TEST(PodView, AFoldedPodIsNeverOursAndHoldsItsTotals) {
  policy::Pod seen = running_pod("web", 100);
  seen.containers.push_back(seen.containers[0]);
  policy::cap_containers(seen);
  EXPECT_FALSE(adopt(seen)) << "there is nothing to resize one by one";
  PodReport report;
  report.containers["app"] = {.id = "c-1", .state = policy::RunState::Running};
  report.containers["b"] = {.id = "c-2", .state = policy::RunState::Terminated};
  EXPECT_EQ(policy::held_charge(view_of(seen, nullptr, &report)).cpu.value, 200);
  seen.deletion = policy::Time{};
  EXPECT_TRUE(policy::holds_room(view_of(seen, nullptr, &report)));
  for (const policy::RunState ended : {policy::RunState::Terminated, policy::RunState::None}) {
    report.containers["app"].state = ended;
    EXPECT_FALSE(policy::holds_room(view_of(seen, nullptr, &report)));
  }
}

TEST(PodView, AContainerThatMaySwapCannotChangeItsMemoryRequestInPlace) {
  const policy::Pod seen = resized(running_pod("web", 100, 64 * kMi), 100, 128 * kMi);
  const PodAllocation given = *adopt(seen);
  PodReport report = report_of(given.containers.at("app"));
  report.containers["app"].may_swap = true;
  const policy::Pod view = view_of(seen, &given, &report);
  EXPECT_EQ(policy::decide_resize(test::node(4000), view, {}, {}).detail, "swap_limitation");
}

TEST(Adopt, WhatIsNotWhatThePodDesiresIsOfAnEarlierGeneration) {
  const policy::Pod calm = running_pod("web", 100);
  EXPECT_EQ(adopt(calm)->generation, calm.generation);
  const policy::Pod waits = resized(calm, 500);
  EXPECT_EQ(adopt(waits)->generation, waits.generation - 1);
}

// Servers and clients drop empty maps: such a container shows no figure.
TEST(Adopt, AContainerThatRequestsNothingHoldsNothing) {
  policy::Pod seen = running_pod("web", 100);
  policy::Container bare;
  bare.name = "bare";
  bare.state = policy::RunState::Running;
  seen.containers.push_back(bare);
  ASSERT_TRUE(adopt(seen));
  EXPECT_TRUE(policy::is_zero(adopt(seen)->containers.at("bare").requests));
  EXPECT_EQ(adopt(seen)->generation, seen.generation);
  const auto shown = [&]() -> policy::Container& { return seen.containers.back(); };
  shown().desired.requests = amounts(50);
  EXPECT_FALSE(adopt(seen)) << "what it requests may be allocated or not";
  shown().allocated_requests = policy::Resources{};
  EXPECT_EQ(adopt(seen)->generation, seen.generation - 1);

  policy::Pod level = running_pod("level", 0);
  level.containers[0] = bare;
  level.pod_level.desired.requests = amounts(500);
  EXPECT_FALSE(adopt(level));
  level.pod_level.allocated_requests = amounts(500);
  EXPECT_EQ(adopt(level)->pod_level.requests.cpu.value, 500);
}

// A memory request changes the container only by a restart where its resizePolicy says so.
TEST(PodView, AMemoryRequestIsTheOneThatTheContainerWasCreatedWithUntilItRestarts) {
  const policy::Pod calm = running_pod("web", 100, 64 * kMi);
  for (const bool restarts : {false, true}) {
    policy::Pod seen = resized(calm, 100, 128 * kMi);
    if (restarts) seen.containers[0].memory_resize = policy::ResizePolicy::RestartContainer;
    const PodAllocation given = desired_allocation(seen);
    PodReport report = report_of(given.containers.at("app"));
    report.containers["app"].memory_request = policy::Bytes{64 * kMi};
    const policy::Pod view = view_of(seen, &given, &report);
    EXPECT_EQ(view.containers[0].actual_requests->memory.value, (restarts ? 64 : 128) * kMi);
    EXPECT_EQ(is_settled(view, given, report), !restarts);
    const auto step = next_step(view, given, report, false);
    ASSERT_EQ(step.has_value(), restarts);
    if (!step) continue;
    EXPECT_TRUE(std::holds_alternative<policy::RestartContainer>(step->step));
  }
}

TEST(Adopt, TakesTheStatusAndNeverTheWish) {
  const policy::Pod seen = resized(running_pod("web", 100), 500);
  ASSERT_TRUE(adopt(seen));
  EXPECT_EQ(adopt(seen)->containers.at("app").requests.cpu.value, 100);
  policy::Pod silent = seen;
  silent.containers[0].allocated_requests.reset();
  EXPECT_EQ(adopt(silent)->containers.at("app").requests.cpu.value, 100);
  silent.containers[0].actual_requests.reset();
  EXPECT_FALSE(adopt(silent));
}

}  // namespace
}  // namespace elbowroom::agent
