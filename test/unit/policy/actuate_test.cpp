#include "policy/resize/actuate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::policy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Requirements size(std::int64_t cpu, std::int64_t memory) {
  Requirements of;
  of.requests.cpu.value = of.limits.cpu.value = cpu;
  of.requests.memory.value = of.limits.memory.value = memory;
  return of;
}

ContainerToActuate container(const std::string& name, const Requirements& actuated,
                             const Requirements& allocated) {
  ContainerToActuate c;
  c.name = name;
  c.actuated = actuated;
  c.allocated = allocated;
  c.is_running = true;
  return c;
}

PodToActuate pod(std::vector<ContainerToActuate> containers) {
  PodToActuate p;
  p.qos = Qos::Guaranteed;
  p.containers = std::move(containers);
  return p;
}

std::vector<std::string> steps(const PodToActuate& p) {
  std::vector<std::string> told;
  for (const ActuationStep& step : plan_actuation(p)) told.push_back(describe(step));
  return told;
}

TEST(PlanActuation, NothingToDoIsNoStep) {
  EXPECT_THAT(steps(pod({container("a", size(500, 100), size(500, 100))})), IsEmpty());
}

TEST(PlanActuation, MemoryComesBeforeCpuAndThePodGrowsFirst) {
  EXPECT_THAT(steps(pod({container("a", size(500, 100), size(700, 300))})),
              ElementsAre("pod memory limit 300", "container a: cpu 500/500, memory 300",
                          "pod cpu limit 700", "pod cpu request 700",
                          "container a: cpu 700/700, memory 300"));
}

TEST(PlanActuation, AShrinkingPodShrinksLastAndItsUseIsCheckedFirst) {
  EXPECT_THAT(steps(pod({container("a", size(700, 300), size(500, 100))})),
              ElementsAre("check that pod uses less memory than 100",
                          "check that container a uses less memory than 100",
                          "container a: cpu 700/700, memory 100", "pod memory limit 100",
                          "container a: cpu 500/500, memory 100", "pod cpu request 500",
                          "pod cpu limit 500"));
}

TEST(PlanActuation, ShrinkingContainersComeBeforeGrowingOnes) {
  EXPECT_THAT(steps(pod({container("grow", size(300, 9), size(700, 9)),
                         container("shrink", size(700, 9), size(300, 9))})),
              ElementsAre("container shrink: cpu 300/300, memory 9",
                          "container grow: cpu 700/700, memory 9"));
}

TEST(PlanActuation, OnlyRunningContainersAndSidecarsAreUpdated) {
  PodToActuate p =
      pod({container("init", size(1, 1), size(2, 2)), container("side", size(100, 9), size(200, 9)),
           container("down", size(100, 9), size(200, 9))});
  p.containers[0].kind = ContainerKind::Init;
  p.containers[1].kind = ContainerKind::Sidecar;
  p.containers[2].is_running = false;
  EXPECT_THAT(steps(p), ElementsAre("pod cpu limit 400", "pod cpu request 400",
                                    "container side: cpu 200/200, memory 9"));
}

TEST(PlanActuation, ALimitThatAppearsIsLoweredAndChecked) {
  PodToActuate p = pod({container("a", size(500, 0), size(500, 100))});
  p.qos = Qos::Burstable;
  p.containers[0].actuated.requests = p.containers[0].allocated.requests;
  EXPECT_THAT(steps(p),
              ElementsAre("check that pod uses less memory than 100",
                          "check that container a uses less memory than 100",
                          "container a: cpu 500/500, memory 100", "pod memory limit 100"));
}

TEST(PlanActuation, ALimitThatIsGoneIsTakenAwayFromThePodFirst) {
  PodToActuate p = pod({container("a", size(500, 100), size(500, 0))});
  p.qos = Qos::Burstable;
  EXPECT_THAT(steps(p),
              ElementsAre("pod memory limit none", "container a: cpu 500/500, memory none"));
}

TEST(PlanActuation, AMemoryRequestAloneIsNothingToTheRuntime) {
  PodToActuate p = pod({container("a", size(500, 100), size(500, 100))});
  p.qos = Qos::Burstable;
  p.containers[0].allocated.requests.memory.value = 50;
  EXPECT_THAT(steps(p), IsEmpty());
  p.containers[0].memory_resize = ResizePolicy::RestartContainer;
  EXPECT_THAT(steps(p), ElementsAre("restart container a"));
}

TEST(PlanActuation, ARestartComesAfterThePodHasGrownAndTakesBothResourcesAlong) {
  PodToActuate p = pod({container("a", size(500, 100), size(700, 300)),
                        container("b", size(500, 100), size(600, 100))});
  p.containers[0].memory_resize = ResizePolicy::RestartContainer;
  EXPECT_THAT(steps(p),
              ElementsAre("pod memory limit 400", "pod cpu limit 1300", "pod cpu request 1300",
                          "restart container a", "container b: cpu 600/600, memory 100"));
}

TEST(PlanActuation, APolicyOfTheOtherResourceRestartsNothing) {
  PodToActuate p = pod({container("a", size(500, 100), size(700, 100))});
  p.containers[0].memory_resize = ResizePolicy::RestartContainer;
  EXPECT_THAT(steps(p), ElementsAre("pod cpu limit 700", "pod cpu request 700",
                                    "container a: cpu 700/700, memory 100"));
}

TEST(PlanActuation, ThePodsUseIsCheckedAfterARestartThatFreesIt) {
  PodToActuate p = pod({container("a", size(500, 300), size(500, 100))});
  p.containers[0].memory_resize = ResizePolicy::RestartContainer;
  EXPECT_THAT(steps(p),
              ElementsAre("restart container a", "check that pod uses less memory than 100",
                          "pod memory limit 100"));
}

TEST(PlanActuation, ACrashBeforeTheLastPodStepLeavesThatStepToDo) {
  PodToActuate p = pod({container("a", size(500, 100), size(500, 100))});
  p.cgroup = PodBounds{{700}, MilliCpu{700}, Bytes{300}};
  EXPECT_THAT(steps(p),
              ElementsAre("check that pod uses less memory than 100", "pod memory limit 100",
                          "pod cpu request 500", "pod cpu limit 500"));
  p.manages_pod_cgroup = false;
  EXPECT_THAT(steps(p), IsEmpty());
}

TEST(PodBoundsOf, PodLevelLimitsBindABurstablePodWhoseContainersHaveNone) {
  PodToActuate p = pod({container("a", {}, {})});
  p.qos = Qos::Burstable;
  EXPECT_EQ(allocated_bounds(p), PodBounds{});
  p.pod_level_allocated = size(900, 500);
  EXPECT_EQ(allocated_bounds(p), (PodBounds{{900}, MilliCpu{900}, Bytes{500}}));
  EXPECT_EQ(actuated_bounds(p), PodBounds{});
}

TEST(PodBoundsOf, OverheadIsAddedOnce) {
  PodToActuate p = pod({container("a", size(1, 1), size(500, 100))});
  p.overhead.cpu.value = 10;
  p.overhead.memory.value = 7;
  EXPECT_EQ(allocated_bounds(p), (PodBounds{{510}, MilliCpu{510}, Bytes{107}}));
}

}  // namespace
}  // namespace elbowroom::policy
