// The demo's scenario, with the agent killed before and after every single effect. Each run reaches
// the same end, removes no further pod, and does nothing that is not durable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/model/condition.h"
#include "test/pods.h"
#include "test/simulation/agent_world.h"

namespace elbowroom::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

enum class PodCgroups : std::uint8_t { Foreign, Managed };

agent::ReactorOptions authority(PodCgroups cgroups = PodCgroups::Foreign) {
  return {.authority = true,
          .critical_preemption = true,
          .manage_pod_cgroups = cgroups == PodCgroups::Managed};
}

policy::Pod limited(policy::Pod pod) {
  policy::Container& app = pod.containers[0];
  app.desired.limits =
      amounts(2 * app.desired.requests.cpu.value, 2 * app.desired.requests.memory.value);
  app.actual_limits = app.desired.limits;
  return pod;
}

AgentWorld demo_world(PodCgroups cgroups) {
  AgentWorld world(node(4000, 8 * kGi), authority(cgroups));
  world.add(limited(running_pod("web", 1000, kGi, 1000)));
  world.add(running_pod("batch-1", 1000, kGi));
  world.add(running_pod("batch-2", 900, kGi));
  world.add(running_pod("dns", 100, kGi, 2'000'000'000));
  world.start();
  world.settle();
  return world;
}

// A web pod grows, shrinks and grows, and is Allocated each time; grows again and is Deferred; a
// critical pod grows and room is made for it; the node's policy forbids preemption, then allows it
// again.
void play(AgentWorld& world) {
  world.resize("web", 1500, 3 * kGi);
  world.settle();
  world.resize("web", 500, kGi / 2);
  world.settle();
  world.resize("web", 2000, 2 * kGi);
  world.settle();
  world.resize("web", 3500, 2 * kGi);
  world.settle();
  world.resize("dns", 900, kGi);
  world.settle();
  world.disable_resize_preemption({"example.com/operator"});
  world.settle();
  world.disable_resize_preemption({});
  world.settle();
}

void expect_the_end(const AgentWorld& world, const std::string& when) {
  EXPECT_THAT(world.broken(), IsEmpty()) << when;
  EXPECT_EQ(world.removed().size(), 1U) << when;
  EXPECT_EQ(world.pod("dns").containers[0].allocated_requests->cpu.value, 900) << when;
  EXPECT_EQ(world.pod("dns").containers[0].actual_requests->cpu.value, 900) << when;
  EXPECT_THAT(world.pod("dns").conditions, IsEmpty()) << when;
  EXPECT_EQ(world.pod("web").containers[0].allocated_requests->cpu.value, 2000) << when;
  EXPECT_EQ(world.size_of("web").cpu_shares, 2048) << when;
  EXPECT_EQ(world.size_of("web").memory_limit_bytes, 4 * kGi) << when;
  if (const auto group = world.group_of("web")) {
    EXPECT_EQ(group->memory_limit_bytes, 4 * kGi) << when;
    EXPECT_EQ(group->cpu_quota_us, 400'000) << when;
    EXPECT_EQ(group->cpu_shares, 2048) << when;
  }
  const auto& conditions = world.pod("web").conditions;
  ASSERT_EQ(conditions.size(), 1U) << when;
  EXPECT_EQ(conditions[0].reason, "Deferred") << when;
  EXPECT_EQ(conditions[0].observed_generation, 5) << when;
  // A call may be lost or repeated by a crash, but is never made twice in vain.
  for (std::size_t i = 1; i < world.calls().size(); ++i) {
    EXPECT_NE(world.calls()[i], world.calls()[i - 1]) << when;
  }
}

class KillSweep : public ::testing::TestWithParam<PodCgroups> {};

TEST_P(KillSweep, TheScenarioWithoutAKill) {
  AgentWorld world = demo_world(GetParam());
  play(world);
  EXPECT_EQ(world.group_of("web").has_value(), GetParam() == PodCgroups::Managed);
  expect_the_end(world, "no kill");
  EXPECT_THAT(world.events(), testing::Contains("ResizeStarted web"));
  EXPECT_THAT(world.events(), testing::Contains("ResizeCompleted web"));
  EXPECT_THAT(world.events(), testing::Contains("ResizeDeferred web"));
}

TEST_P(KillSweep, EveryEffectBoundary) {
  AgentWorld counted = demo_world(GetParam());
  const std::size_t first = counted.effects_performed();
  play(counted);
  const std::size_t last = counted.effects_performed();
  ASSERT_GT(last, first + 10);
  for (std::size_t at = first; at < last; ++at) {
    for (const bool after : {false, true}) {
      AgentWorld world = demo_world(GetParam());
      world.kill_at(at, after);
      play(world);
      expect_the_end(world, "killed " + std::string(after ? "after" : "before") + " effect " +
                                std::to_string(at));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, KillSweep, ::testing::Values(PodCgroups::Foreign, PodCgroups::Managed),
                         [](const auto& each) {
                           return each.param == PodCgroups::Managed ? "ManagedPodCgroups"
                                                                    : "ForeignPodCgroups";
                         });

TEST(Agent, APassSharesOneCheckpointWrite) {
  AgentWorld world(node(9000), authority());
  for (int i = 0; i < 5; ++i) world.add(running_pod("p" + std::to_string(i), 100));
  world.start();
  world.settle();
  const std::size_t calls = world.calls().size();
  const std::size_t saves = world.saves();
  for (int i = 0; i < 5; ++i) world.resize("p" + std::to_string(i), 200, 0);
  world.settle();
  EXPECT_EQ(world.calls().size(), calls + 5);
  // The first is saved at once; the four that came meanwhile are saved together.
  EXPECT_EQ(world.saves(), saves + 2);
}

TEST(Agent, StatusWritesThatWaitHoldUpNoRuntimeCall) {
  AgentWorld world(node(64'000), authority());
  for (int i = 0; i < 100; ++i) world.add(running_pod("p" + std::to_string(i), 100));
  world.start();
  world.settle();
  world.hold_writes();
  for (int i = 0; i < 100; ++i) world.resize("p" + std::to_string(i), 200, 0);
  while (world.step()) {
  }
  EXPECT_EQ(world.calls().size(), 100U);
  EXPECT_EQ(world.size_of("p99").cpu_shares, 204);
}

TEST(Agent, AFullDiskStopsAllocationsAndRecovers) {
  AgentWorld world(node(9000), authority());
  world.add(running_pod("web", 100));
  world.start();
  world.settle();
  world.fail_next_save();
  world.resize("web", 200, 0);
  while (world.step()) {
  }
  EXPECT_EQ(world.size_of("web").cpu_shares, 102);
  world.settle();
  EXPECT_EQ(world.size_of("web").cpu_shares, 204);
  EXPECT_THAT(world.broken(), IsEmpty());
}

TEST(Agent, AFailedUpdateIsSaidAndTriedAgain) {
  for (const bool applied : {false, true}) {
    AgentWorld world(node(9000), authority());
    world.add(running_pod("web", 100));
    world.start();
    world.settle();
    world.fail_next_update(applied);
    world.resize("web", 200, 0);
    while (world.step()) {
    }
    const auto* shown = policy::find_condition(world.pod("web").conditions, "PodResizeInProgress");
    ASSERT_NE(shown, nullptr);
    EXPECT_EQ(shown->reason, "Error");
    world.settle();
    EXPECT_EQ(world.size_of("web").cpu_shares, 204);
    EXPECT_THAT(world.pod("web").conditions, IsEmpty());
    EXPECT_THAT(world.broken(), IsEmpty());
  }
}

}  // namespace
}  // namespace elbowroom::test
