#include "agent/next_step.h"

#include <algorithm>
#include <utility>

#include "agent/pod_view.h"
#include "cri/convert.h"

namespace elbowroom::agent {
namespace {

using policy::Container;
using policy::RunState;

const ContainerReport* report_of(const PodReport& report, const std::string& name) {
  const auto at = report.containers.find(name);
  return at == report.containers.end() ? nullptr : &at->second;
}

policy::PodBounds bounds_of(const policy::PodBounds& allocated, const cri::RuntimeResources& read,
                            std::optional<cri::WeightMap> weights) {
  policy::Requirements size;
  size.requests.cpu = allocated.cpu_request;
  size.limits.cpu = allocated.cpu_limit.value_or(policy::MilliCpu{});
  size.limits.memory = allocated.memory_limit.value_or(policy::Bytes{});
  const policy::Requirements actual = group_size(size, read, weights);
  policy::PodBounds bounds{.cpu_request = actual.requests.cpu};
  if (actual.limits.cpu.value > 0) bounds.cpu_limit = actual.limits.cpu;
  if (actual.limits.memory.value > 0) bounds.memory_limit = actual.limits.memory;
  return bounds;
}

policy::PodToActuate to_actuate(const policy::Pod& view, const PodAllocation& allocation,
                                const PodReport& report, bool manage_pod_cgroups,
                                std::optional<cri::WeightMap> weights) {
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
      // The runtime keeps no memory request: without a restart only the limit can be actuated.
      const auto created =
          reported == nullptr ? std::nullopt : restart_memory_request(container, *reported);
      each.actuated.requests.memory = created.value_or(each.allocated.requests.memory);
    }
    pod.containers.push_back(std::move(each));
  }
  if (report.pod_cgroup) {
    const policy::PodBounds allocated = policy::allocated_bounds(pod);
    pod.cgroup = bounds_of(allocated, *report.pod_cgroup, weights);
    // While no size changes, no weight is written by a map that is only assumed.
    const bool is_same = allocated.cpu_request == policy::actuated_bounds(pod).cpu_request;
    if (is_same && is_unclear_weight(*report.pod_cgroup, weights)) {
      pod.cgroup->cpu_request = allocated.cpu_request;
    }
  }
  return pod;
}

}  // namespace

bool is_unread(const PodReport& report) {
  return std::ranges::any_of(report.containers, [](const auto& entry) {
    return entry.second.state == RunState::Running && !entry.second.size;
  });
}

std::optional<Actuate> next_step(const policy::Pod& view, const PodAllocation& allocation,
                                 const PodReport& report, bool manage_pod_cgroups,
                                 std::optional<cri::WeightMap> weights) {
  if (is_unread(report)) return std::nullopt;
  const std::vector<policy::ActuationStep> steps =
      policy::plan_actuation(to_actuate(view, allocation, report, manage_pod_cgroups, weights));
  if (steps.empty()) return std::nullopt;
  Actuate effect{.pod_uid = view.uid,
                 .pod = policy::key_of(view),
                 .qos = policy::qos_of(view),
                 .grace_seconds = view.termination_grace_seconds,
                 .weights = weights.value_or(cri::WeightMap::Linear)};
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

std::optional<cri::WeightMap> shown_weight_map(const policy::Pod& seen,
                                               const PodAllocation& allocation,
                                               const PodReport& report) {
  if (!report.pod_cgroup || report.pod_cgroup->cpu_weight <= 0) return std::nullopt;
  const auto map_for = [&](const PodAllocation& size) {
    const policy::PodBounds bounds =
        policy::allocated_bounds(to_actuate(seen, size, report, true, std::nullopt));
    return cri::map_of_weight(cri::shares_for(bounds.cpu_request), report.pod_cgroup->cpu_weight);
  };
  // After a restart in the middle of a resize the group may still have the size before it.
  PodAllocation actual = allocation;
  for (const Container& container : seen.containers) {
    const auto at = actual.containers.find(container.name);
    if (at == actual.containers.end() || !container.actual_requests) continue;
    at->second.requests = *container.actual_requests;
  }
  if (seen.pod_level.actual_requests) {
    actual.pod_level.requests.cpu = seen.pod_level.actual_requests->cpu;
  }
  const auto by_allocation = map_for(allocation);
  const auto by_actual = map_for(actual);
  if (by_allocation && by_actual && by_allocation != by_actual) return std::nullopt;
  return by_allocation ? by_allocation : by_actual;
}

bool is_settled(const policy::Pod& view, const PodAllocation& allocation, const PodReport& report) {
  if (is_unread(report)) return false;
  return std::ranges::all_of(view.containers, [&](const Container& container) {
    const auto allocated = allocation.containers.find(container.name);
    const ContainerReport* reported = report_of(report, container.name);
    if (allocated == allocation.containers.end() || reported == nullptr) return true;
    if (reported->state != RunState::Running || !reported->size) return true;
    const auto created = restart_memory_request(container, *reported);
    if (created && *created != allocated->second.requests.memory) return false;
    return cri::matches(allocated->second, *reported->size);
  });
}

}  // namespace elbowroom::agent
