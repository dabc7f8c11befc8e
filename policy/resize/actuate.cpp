#include "policy/resize/actuate.h"

#include <algorithm>
#include <utility>

#include "policy/model/pod_sum.h"

namespace elbowroom::policy {
namespace {

// Sums one set of figures (requests or limits, actuated or allocated) by the rules for pods.
template <class Figures>
Resources total(const PodToActuate& pod, const Resources& level, Figures of) {
  Resources summed = sum_of_containers(pod.containers, of);
  replace_by_pod_level(summed, level);
  add_to(summed, pod.overhead);
  return summed;
}

template <class Sizes>
PodBounds bounds(const PodToActuate& pod, const Requirements& level, Sizes of) {
  PodBounds bounds;
  if (pod.qos == Qos::BestEffort) return bounds;
  const Resources limits =
      total(pod, level.limits,
            [&](const ContainerToActuate& c) -> const Resources& { return of(c).limits; });
  const auto all_have = [&](auto amount) {
    return pod.qos == Qos::Guaranteed || amount(level.limits) != 0 ||
           std::ranges::all_of(pod.containers, [&](const ContainerToActuate& c) {
             return amount(of(c).limits) != 0;
           });
  };
  bounds.cpu_request =
      total(pod, level.requests, [&](const ContainerToActuate& c) -> const Resources& {
        return of(c).requests;
      }).cpu;
  if (limits.cpu.value != 0 && all_have([](const Resources& r) { return r.cpu.value; })) {
    bounds.cpu_limit = limits.cpu;
  }
  if (limits.memory.value != 0 && all_have([](const Resources& r) { return r.memory.value; })) {
    bounds.memory_limit = limits.memory;
  }
  return bounds;
}

// No limit, whether written as 0 or as nullopt, compares as the largest.
std::int64_t height(std::int64_t limit) { return limit == 0 ? kMaxAmount : limit; }
template <class Amount>
std::int64_t height(const std::optional<Amount>& limit) {
  return limit ? height(limit->value) : kMaxAmount;
}

bool changes_memory_limit(const ContainerToActuate& c) {
  return c.actuated.limits.memory != c.allocated.limits.memory;
}
bool changes_memory(const ContainerToActuate& c) {
  return changes_memory_limit(c) || c.actuated.requests.memory != c.allocated.requests.memory;
}
bool changes_cpu(const ContainerToActuate& c) {
  return c.actuated.limits.cpu != c.allocated.limits.cpu ||
         c.actuated.requests.cpu != c.allocated.requests.cpu;
}
bool lowers_memory(const ContainerToActuate& c) {
  return height(c.allocated.limits.memory.value) < height(c.actuated.limits.memory.value);
}
// Compares the limit where it changed, otherwise the request.
bool lowers_cpu(const ContainerToActuate& c) {
  if (c.actuated.limits.cpu != c.allocated.limits.cpu) {
    return height(c.allocated.limits.cpu.value) < height(c.actuated.limits.cpu.value);
  }
  return c.allocated.requests.cpu < c.actuated.requests.cpu;
}

bool takes_part(const ContainerToActuate& c) {
  return c.is_running && c.kind != ContainerKind::Init;
}
bool must_restart(const ContainerToActuate& c) {
  return (changes_cpu(c) && c.cpu_resize == ResizePolicy::RestartContainer) ||
         (changes_memory(c) && c.memory_resize == ResizePolicy::RestartContainer);
}

// The actuated size with the allocated memory, as a memory call carries it.
Requirements with_memory(const ContainerToActuate& c) {
  Requirements size = c.actuated;
  size.requests.memory = c.allocated.requests.memory;
  size.limits.memory = c.allocated.limits.memory;
  return size;
}

struct Sides {
  PodBounds before{};
  PodBounds after{};
};

void raise_memory(const Sides& pod, std::vector<ActuationStep>& steps) {
  if (height(pod.after.memory_limit) > height(pod.before.memory_limit)) {
    steps.push_back(SetPod{PodSetting::MemoryLimit, pod.after});
  }
}
void lower_memory(const Sides& pod, std::vector<ActuationStep>& steps) {
  if (height(pod.after.memory_limit) < height(pod.before.memory_limit)) {
    steps.push_back(SetPod{PodSetting::MemoryLimit, pod.after});
  }
}
void raise_cpu(const Sides& pod, std::vector<ActuationStep>& steps) {
  if (height(pod.after.cpu_limit) > height(pod.before.cpu_limit)) {
    steps.push_back(SetPod{PodSetting::CpuLimit, pod.after});
  }
  if (pod.after.cpu_request > pod.before.cpu_request) {
    steps.push_back(SetPod{PodSetting::CpuRequest, pod.after});
  }
}
void lower_cpu(const Sides& pod, std::vector<ActuationStep>& steps) {
  if (pod.after.cpu_request < pod.before.cpu_request) {
    steps.push_back(SetPod{PodSetting::CpuRequest, pod.after});
  }
  if (height(pod.after.cpu_limit) < height(pod.before.cpu_limit)) {
    steps.push_back(SetPod{PodSetting::CpuLimit, pod.after});
  }
}

using Containers = std::vector<const ContainerToActuate*>;

void update_memory(const Containers& updated, std::vector<ActuationStep>& steps) {
  for (const bool shrinks : {true, false}) {
    for (const ContainerToActuate* c : updated) {
      if (!changes_memory_limit(*c) || lowers_memory(*c) != shrinks) continue;
      steps.push_back(UpdateContainer{c->name, c->actuated, with_memory(*c)});
    }
  }
}
void update_cpu(const Containers& updated, std::vector<ActuationStep>& steps) {
  for (const bool shrinks : {true, false}) {
    for (const ContainerToActuate* c : updated) {
      if (!changes_cpu(*c) || lowers_cpu(*c) != shrinks) continue;
      steps.push_back(UpdateContainer{c->name, with_memory(*c), c->allocated});
    }
  }
}

// Checks the containers' limits, and the pod's limit unless a restart frees some memory first.
void check_memory(const Sides& pod, const Containers& updated, bool restarts,
                  std::vector<ActuationStep>& steps) {
  if (!restarts && height(pod.after.memory_limit) < height(pod.before.memory_limit)) {
    steps.push_back(CheckMemory{"", *pod.after.memory_limit});
  }
  for (const ContainerToActuate* c : updated) {
    if (lowers_memory(*c)) steps.push_back(CheckMemory{c->name, c->allocated.limits.memory});
  }
}

}  // namespace

PodBounds actuated_bounds(const PodToActuate& pod) {
  return bounds(pod, pod.pod_level_actuated,
                [](const ContainerToActuate& c) -> const Requirements& { return c.actuated; });
}

PodBounds allocated_bounds(const PodToActuate& pod) {
  return bounds(pod, pod.pod_level_allocated,
                [](const ContainerToActuate& c) -> const Requirements& { return c.allocated; });
}

std::vector<ActuationStep> plan_actuation(const PodToActuate& pod) {
  Sides sides;
  if (pod.manages_pod_cgroup) {
    sides.before = pod.cgroup ? *pod.cgroup : actuated_bounds(pod);
    sides.after = allocated_bounds(pod);
  }
  Containers updated;
  Containers restarted;
  for (const ContainerToActuate& c : pod.containers) {
    if (takes_part(c)) (must_restart(c) ? restarted : updated).push_back(&c);
  }

  std::vector<ActuationStep> steps;
  check_memory(sides, updated, !restarted.empty(), steps);
  raise_memory(sides, steps);
  if (!restarted.empty()) raise_cpu(sides, steps);
  for (const ContainerToActuate* c : restarted) steps.push_back(RestartContainer{c->name});
  update_memory(updated, steps);
  if (!restarted.empty() && height(sides.after.memory_limit) < height(sides.before.memory_limit)) {
    steps.push_back(CheckMemory{"", *sides.after.memory_limit});
  }
  lower_memory(sides, steps);
  if (restarted.empty()) raise_cpu(sides, steps);
  update_cpu(updated, steps);
  lower_cpu(sides, steps);
  return steps;
}

namespace {

std::string figure(std::int64_t limit) { return limit == 0 ? "none" : std::to_string(limit); }
template <class Amount>
std::string figure(const std::optional<Amount>& limit) {
  return limit ? std::to_string(limit->value) : "none";
}

std::string told(const CheckMemory& step) {
  const std::string whose = step.container.empty() ? "pod" : "container " + step.container;
  return "check that " + whose + " uses less memory than " + std::to_string(step.limit.value);
}
std::string told(const SetPod& step) {
  switch (step.setting) {
    case PodSetting::MemoryLimit:
      return "pod memory limit " + figure(step.bounds.memory_limit);
    case PodSetting::CpuLimit:
      return "pod cpu limit " + figure(step.bounds.cpu_limit);
    case PodSetting::CpuRequest:
      return "pod cpu request " + std::to_string(step.bounds.cpu_request.value);
  }
  return "";
}
std::string told(const UpdateContainer& step) {
  return "container " + step.name + ": cpu " + std::to_string(step.after.requests.cpu.value) + "/" +
         figure(step.after.limits.cpu.value) + ", memory " + figure(step.after.limits.memory.value);
}
std::string told(const RestartContainer& step) { return "restart container " + step.name; }

}  // namespace

std::string describe(const ActuationStep& step) {
  return std::visit([](const auto& s) { return told(s); }, step);
}

}  // namespace elbowroom::policy
