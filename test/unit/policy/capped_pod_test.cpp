#include "policy/model/capped_pod.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/condition.h"

namespace elbowroom::policy {
namespace {

Resources cpu(std::int64_t milli) { return {.cpu = {milli}}; }

Container container(ContainerKind kind, std::int64_t desired) {
  Container made;
  made.name = "c";
  made.kind = kind;
  made.desired.requests = cpu(desired);
  return made;
}

Container shown(Container made, std::int64_t allocated, std::int64_t actual) {
  made.allocated_requests = cpu(allocated);
  made.actual_requests = cpu(actual);
  made.state = RunState::Running;
  return made;
}

std::string figures(const Pod& pod) {
  const Totals totals = totals_of(pod);
  return std::to_string(totals.desired.cpu.value) + "/" +
         std::to_string(totals.allocated.cpu.value) + "/" + std::to_string(totals.actual.cpu.value);
}

TEST(Folded, CostsWhatAllItsContainersDo) {
  using enum ContainerKind;
  Pod pod;
  pod.overhead = cpu(1);
  // The largest step of initialization is 100 beside the sidecar's 10.
  pod.containers = {container(Sidecar, 10), container(Init, 100), container(Regular, 30),
                    shown(container(Regular, 30), 20, 40)};
  cap_containers(pod);
  EXPECT_TRUE(is_capped(pod));
  EXPECT_EQ(figures(pod), "111/111/111");

  pod.containers = {container(Sidecar, 10), shown(container(Regular, 300), 200, 400),
                    container(Regular, 30)};
  cap_containers(pod);
  EXPECT_EQ(figures(pod), "341/241/441") << "what is not shown is as desired";
}

TEST(Folded, WhatIsInfeasibleAndNotShownHoldsNothing) {
  Pod pod;
  pod.conditions = {{.type = std::string(kPodResizePending),
                     .status = "True",
                     .reason = std::string(kReasonInfeasible)}};
  pod.containers = {container(ContainerKind::Regular, 30),
                    shown(container(ContainerKind::Regular, 300), 200, 100)};
  cap_containers(pod);
  EXPECT_EQ(figures(pod), "330/200/100");
}

TEST(Folded, HasEndedWhereAllHave) {
  Pod pod;
  pod.deletion = Time{};
  pod.containers = {container(ContainerKind::Init, 1), container(ContainerKind::Regular, 1),
                    container(ContainerKind::Regular, 1)};
  pod.containers[1].state = pod.containers[2].state = RunState::Terminated;
  Pod ended = pod;
  cap_containers(ended);
  EXPECT_FALSE(holds_room(ended));
  pod.containers[2].state = RunState::Waiting;
  cap_containers(pod);
  EXPECT_TRUE(holds_room(pod));
  EXPECT_EQ(pod.containers[0].state, RunState::Waiting);
}

TEST(Folded, KeepsItsQualityOfService) {
  Pod pod;
  pod.containers = {container(ContainerKind::Regular, 5), container(ContainerKind::Regular, 5)};
  for (Container& each : pod.containers) {
    each.desired.requests.memory = {7};
    each.desired.limits = each.desired.requests;
  }
  cap_containers(pod);
  EXPECT_EQ(qos_of(pod), Qos::Guaranteed);
}

}  // namespace
}  // namespace elbowroom::policy
