#include "agent/next_step.h"

#include <algorithm>
#include <utility>

#include "cri/convert.h"

namespace elbowroom::agent {
namespace {

using policy::Container;
using policy::RunState;

const ContainerReport* report_of(const PodReport& report, const std::string& name) {
  const auto at = report.containers.find(name);
  return at == report.containers.end() ? nullptr : &at->second;
}

// Returns the pod cgroup's size, with the allocated figure wherever it matches what was read.
policy::PodBounds bounds_of(const policy::PodBounds& allocated, const cri::RuntimeResources& read) {
  policy::Requirements size;
  size.requests.cpu = allocated.cpu_request;
  size.limits.cpu = allocated.cpu_limit.value_or(policy::MilliCpu{});
  size.limits.memory = allocated.memory_limit.value_or(policy::Bytes{});
  const policy::Requirements actual = cri::requirements_of(size, read);
  policy::PodBounds bounds{.cpu_request = actual.requests.cpu};
  if (actual.limits.cpu.value > 0) bounds.cpu_limit = actual.limits.cpu;
  if (actual.limits.memory.value > 0) bounds.memory_limit = actual.limits.memory;
  return bounds;
}

policy::PodToActuate to_actuate(const policy::Pod& view, const PodAllocation& allocation,
                                const PodReport& report, bool manage_pod_cgroups) {
  policy::PodToActuate pod{.qos = policy::qos_of(view),
                           .pod_level_allocated = allocation.pod_level,
                           .overhead = view.overhead,
                           .manages_pod_cgroup = manage_pod_cgroups && report.pod_cgroup};
  pod.pod_level_actuated = {view.pod_level.actual_requests.value_or(allocation.pod_level.requests),
                            view.pod_level.actual_limits.value_or(allocation.pod_level.limits)};
  pod.containers.reserve(view.containers.size());
  for (const Container& container : view.containers) {
    const auto allocated = allocation.containers.find(container.name);
    const ContainerReport* reported = report_of(report, container.name);
    const bool is_promised = allocated != allocation.containers.end();
    const policy::Requirements& size = is_promised ? allocated->second : container.desired;
    policy::ContainerToActuate each{.name = container.name,
                                    .kind = container.kind,
                                    .actuated = size,
                                    .allocated = size,
                                    .cpu_resize = container.cpu_resize,
                                    .memory_resize = container.memory_resize};
    if (is_promised) {
      if (container.actual_requests) each.actuated.requests = *container.actual_requests;
      if (container.actual_limits) each.actuated.limits = *container.actual_limits;
      each.is_running = reported != nullptr && reported->state == RunState::Running;
      // The runtime keeps no memory request: only the limit can be actuated.
      each.actuated.requests.memory = each.allocated.requests.memory;
    }
    pod.containers.push_back(std::move(each));
  }
  if (report.pod_cgroup) pod.cgroup = bounds_of(policy::allocated_bounds(pod), *report.pod_cgroup);
  return pod;
}

}  // namespace

bool is_unread(const PodReport& report) {
  return std::ranges::any_of(report.containers, [](const auto& entry) {
    return entry.second.state == RunState::Running && !entry.second.size;
  });
}

std::optional<Actuate> next_step(const policy::Pod& view, const PodAllocation& allocation,
                                 const PodReport& report, bool manage_pod_cgroups) {
  if (is_unread(report)) return std::nullopt;
  const std::vector<policy::ActuationStep> steps =
      policy::plan_actuation(to_actuate(view, allocation, report, manage_pod_cgroups));
  if (steps.empty()) return std::nullopt;
  Actuate effect{.pod_uid = view.uid,
                 .pod = policy::key_of(view),
                 .qos = policy::qos_of(view),
                 .grace_seconds = view.termination_grace_seconds};
  for (const policy::ActuationStep& step : steps) {
    if (const auto* check = std::get_if<policy::CheckMemory>(&step)) {
      effect.checks.push_back(*check);
      continue;
    }
    for (const auto& [name, container] : report.containers) {
      if (container.state == RunState::Running) effect.container_ids.emplace(name, container.id);
    }
    std::visit(
        [&](const auto& what) {
          using Step = std::decay_t<decltype(what)>;
          if constexpr (!std::is_same_v<Step, policy::CheckMemory>) effect.step = what;
        },
        step);
    return effect;
  }
  return std::nullopt;
}

bool is_settled(const policy::Pod& view, const PodAllocation& allocation, const PodReport& report) {
  if (is_unread(report)) return false;
  return std::ranges::all_of(view.containers, [&](const Container& container) {
    const auto allocated = allocation.containers.find(container.name);
    const ContainerReport* reported = report_of(report, container.name);
    if (allocated == allocation.containers.end() || reported == nullptr) return true;
    if (reported->state != RunState::Running || !reported->size) return true;
    return cri::matches(allocated->second, *reported->size);
  });
}

}  // namespace elbowroom::agent
