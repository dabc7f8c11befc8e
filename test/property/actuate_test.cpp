// Properties of the actuation plan over random pods.
#include "policy/resize/actuate.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <map>

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

Requirements random_size(bool with_limits) {
  Requirements of;
  of.requests.cpu.value = *rc::gen::inRange<std::int64_t>(0, 8);
  of.requests.memory.value = *rc::gen::inRange<std::int64_t>(0, 8);
  const auto limit = [&](std::int64_t request) {
    if (!with_limits && *rc::gen::arbitrary<bool>()) return std::int64_t{0};
    return std::max<std::int64_t>(1, request) + *rc::gen::inRange<std::int64_t>(0, 8);
  };
  of.limits.cpu.value = limit(of.requests.cpu.value);
  of.limits.memory.value = limit(of.requests.memory.value);
  return of;
}

PodToActuate random_pod() {
  PodToActuate pod;
  pod.qos = *rc::gen::element(Qos::Guaranteed, Qos::Burstable);
  const bool all_have_limits = pod.qos == Qos::Guaranteed || *rc::gen::arbitrary<bool>();
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    ContainerToActuate c;
    c.name = "c" + std::to_string(i);
    c.kind = *rc::gen::element(ContainerKind::Regular, ContainerKind::Sidecar);
    c.actuated = random_size(all_have_limits);
    c.allocated = *rc::gen::arbitrary<bool>() ? c.actuated : random_size(all_have_limits);
    if (pod.qos == Qos::Guaranteed) {
      c.actuated.requests = c.actuated.limits;
      c.allocated.requests = c.allocated.limits;
    }
    c.cpu_resize = *rc::gen::weightedElement<ResizePolicy>(
        {{4, ResizePolicy::NotRequired}, {1, ResizePolicy::RestartContainer}});
    c.memory_resize = *rc::gen::weightedElement<ResizePolicy>(
        {{4, ResizePolicy::NotRequired}, {1, ResizePolicy::RestartContainer}});
    c.is_running = *rc::gen::weightedElement<bool>({{5, true}, {1, false}});
    pod.containers.push_back(c);
  }
  return pod;
}

// The kernel and the runtime, as far as sizes matter.
struct Machine {
  PodBounds pod;
  std::map<std::string, Requirements> containers;
};

Machine machine_of(const PodToActuate& pod) {
  Machine machine{actuated_bounds(pod), {}};
  for (const ContainerToActuate& c : pod.containers) {
    if (c.is_running) machine.containers[c.name] = c.actuated;  // others have no group
  }
  return machine;
}

const ContainerToActuate& named(const PodToActuate& pod, const std::string& name) {
  return *std::ranges::find(pod.containers, name, &ContainerToActuate::name);
}

void carry_out(const ActuationStep& step, const PodToActuate& pod, Machine& machine) {
  if (const auto* set = std::get_if<SetPod>(&step)) {
    switch (set->setting) {
      case PodSetting::MemoryLimit:
        machine.pod.memory_limit = set->bounds.memory_limit;
        break;
      case PodSetting::CpuLimit:
        machine.pod.cpu_limit = set->bounds.cpu_limit;
        break;
      case PodSetting::CpuRequest:
        machine.pod.cpu_request = set->bounds.cpu_request;
        break;
    }
  } else if (const auto* update = std::get_if<UpdateContainer>(&step)) {
    RC_ASSERT(machine.containers[update->name].limits == update->before.limits);
    machine.containers[update->name] = update->after;
  } else if (const auto* restart = std::get_if<RestartContainer>(&step)) {
    machine.containers[restart->name] = named(pod, restart->name).allocated;  // at once, at worst
  }
}

template <class Amount>
std::int64_t height(const std::optional<Amount>& limit) {
  return limit ? limit->value : kNone;
}

// A child with a limit of its own must not have one above its parent's.
bool is_sound(const Machine& machine) {
  return std::ranges::all_of(machine.containers, [&](const auto& entry) {
    const Resources& limits = entry.second.limits;
    return limits.cpu.value <= height(machine.pod.cpu_limit) &&
           limits.memory.value <= height(machine.pod.memory_limit);
  });
}

TEST(Actuation, NoStepPutsAChildAboveItsParent) {
  EXPECT_TRUE(rc::check([] {
    const PodToActuate pod = random_pod();
    Machine machine = machine_of(pod);
    RC_ASSERT(is_sound(machine));
    for (const ActuationStep& step : plan_actuation(pod)) {
      carry_out(step, pod, machine);
      RC_ASSERT(is_sound(machine));
    }
  }));
}

TEST(Actuation, AfterTheLastStepAllThatRunsIsAsAllocated) {
  EXPECT_TRUE(rc::check([] {
    const PodToActuate pod = random_pod();
    Machine machine = machine_of(pod);
    for (const ActuationStep& step : plan_actuation(pod)) carry_out(step, pod, machine);
    RC_ASSERT(machine.pod == allocated_bounds(pod));
    for (const ContainerToActuate& c : pod.containers) {
      if (!c.is_running) continue;
      RC_ASSERT(machine.containers[c.name].limits == c.allocated.limits);
      RC_ASSERT(machine.containers[c.name].requests.cpu == c.allocated.requests.cpu);
    }
  }));
}

// After a failure at any step the plan is made again from the state reached by then.
TEST(Actuation, APlanMadeAnewAfterAnyPrefixFinishesSoundly) {
  EXPECT_TRUE(rc::check([] {
    PodToActuate pod = random_pod();
    Machine machine = machine_of(pod);
    const std::vector<ActuationStep> first = plan_actuation(pod);
    const std::size_t done = *rc::gen::inRange<std::size_t>(0, first.size() + 1);
    for (std::size_t i = 0; i < done; ++i) carry_out(first[i], pod, machine);

    for (ContainerToActuate& c : pod.containers) {
      if (c.is_running) c.actuated = machine.containers[c.name];
    }
    pod.cgroup = machine.pod;
    for (const ActuationStep& step : plan_actuation(pod)) {
      carry_out(step, pod, machine);
      RC_ASSERT(is_sound(machine));
    }
    RC_ASSERT(machine.pod == allocated_bounds(pod));
  }));
}

TEST(Actuation, MemoryLimitsThatFallAreCheckedBeforeTheyFall) {
  EXPECT_TRUE(rc::check([] {
    const PodToActuate pod = random_pod();
    std::vector<std::string> checked;
    for (const ActuationStep& step : plan_actuation(pod)) {
      if (const auto* check = std::get_if<CheckMemory>(&step)) checked.push_back(check->container);
      const auto* update = std::get_if<UpdateContainer>(&step);
      if (update == nullptr || update->after.limits.memory.value == 0) continue;
      const std::int64_t before = update->before.limits.memory.value;
      if (before == 0 || update->after.limits.memory.value < before) {
        RC_ASSERT(std::ranges::find(checked, update->name) != checked.end());
      }
    }
  }));
}

}  // namespace
}  // namespace elbowroom::policy
