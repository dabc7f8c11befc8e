#include "agent/pod_view.h"

#include <algorithm>

#include "cri/convert.h"
#include "policy/model/capped_pod.h"

namespace elbowroom::agent {
namespace {

using policy::Container;
using policy::RunState;

bool is_resizable(const Container& container) {
  return container.kind != policy::ContainerKind::Init;
}

policy::Bytes actual_memory_request(const Container& seen, const policy::Requirements& allocated,
                                    const policy::Requirements& actual,
                                    const ContainerReport& report) {
  if (const auto created = restart_memory_request(seen, report)) return *created;
  // The runtime keeps no memory request. It counts as actuated when the limit is; until then a
  // shrinking request still holds its old amount.
  if (actual.limits.memory == allocated.limits.memory) return allocated.requests.memory;
  const policy::Bytes shown =
      seen.actual_requests ? seen.actual_requests->memory : allocated.requests.memory;
  return std::max(shown, allocated.requests.memory);
}

void lay_report(Container& view, const Container& seen, const policy::Requirements& allocated,
                const ContainerReport& report) {
  view.state = report.state;
  view.swaps = view.would_swap = report.may_swap;
  if (report.state != RunState::Running) {
    // It gets its allocation when it starts.
    view.actual_requests = allocated.requests;
    view.actual_limits = allocated.limits;
    return;
  }
  if (!report.size) return;
  policy::Requirements actual = cri::requirements_of(allocated, *report.size);
  actual.requests.memory = actual_memory_request(seen, allocated, actual, report);
  view.actual_requests = actual.requests;
  view.actual_limits = actual.limits;
}

// A terminating pod starts no containers: one that the runtime no longer has is finished.
void lay_absence(Container& view, const policy::Pod& seen) {
  if (policy::is_terminating(seen)) view.state = RunState::Terminated;
}

// For many containers as one: it has finished if none is left, and only in a terminating pod.
void lay_reports(Container& whole, const policy::Pod& seen, const PodReport& report) {
  const bool has_ended = std::ranges::all_of(report.containers, [](const auto& each) {
    return each.second.state == RunState::Terminated || each.second.state == RunState::None;
  });
  if (policy::is_terminating(seen) && has_ended) whole.state = RunState::Terminated;
  if (!has_ended) whole.state = RunState::Running;
}

// What a status shows as allocated. Servers and clients drop empty maps, so of what requests
// nothing no figure is shown, and nothing is allocated to it.
std::optional<policy::Resources> shown_requests(const std::optional<policy::Resources>& allocated,
                                                const std::optional<policy::Resources>& actual,
                                                const policy::Requirements& desired) {
  if (allocated) return allocated;
  if (actual) return actual;
  return policy::is_zero(desired.requests) ? std::optional(policy::Resources{}) : std::nullopt;
}

void lay_pod_level(policy::Pod& view, const PodAllocation& allocation, const PodReport* report,
                   std::optional<cri::WeightMap> weights) {
  if (policy::is_zero(allocation.pod_level.requests) &&
      policy::is_zero(allocation.pod_level.limits)) {
    return;
  }
  view.pod_level.allocated_requests = allocation.pod_level.requests;
  view.pod_level.allocated_limits = allocation.pod_level.limits;
  if (report == nullptr || !report->pod_cgroup) return;
  const policy::Requirements actual =
      group_size(allocation.pod_level, *report->pod_cgroup, weights);
  view.pod_level.actual_requests = actual.requests;
  view.pod_level.actual_limits = actual.limits;
}

}  // namespace

bool is_unclear_weight(const cri::RuntimeResources& group, std::optional<cri::WeightMap> weights) {
  return !weights && group.cpu_shares <= 0 && group.cpu_weight > 0;
}

policy::Requirements group_size(const policy::Requirements& allocated,
                                const cri::RuntimeResources& group,
                                std::optional<cri::WeightMap> weights) {
  policy::Requirements size = cri::requirements_of(allocated, group, weights);
  const std::int64_t least =
      cri::weight_for(cri::shares_for(allocated.requests.cpu), cri::WeightMap::Linear);
  if (is_unclear_weight(group, weights) && group.cpu_weight >= least) {
    size.requests.cpu = allocated.requests.cpu;
  }
  return size;
}

std::optional<policy::Bytes> restart_memory_request(const policy::Container& container,
                                                    const ContainerReport& report) {
  const bool restarts = container.memory_resize == policy::ResizePolicy::RestartContainer;
  return restarts ? report.memory_request : std::nullopt;
}

bool equal_amounts(const policy::Resources& a, const policy::Resources& b) {
  return !policy::exceeds_anywhere(a, b) && !policy::exceeds_anywhere(b, a);
}

policy::Pod view_of(const policy::Pod& seen, const PodAllocation* allocation,
                    const PodReport* report, std::optional<cri::WeightMap> weights) {
  policy::Pod view = seen;
  if (policy::is_capped(seen)) {
    if (report != nullptr) lay_reports(view.containers.front(), seen, *report);
    return view;
  }
  for (std::size_t i = 0; i < view.containers.size(); ++i) {
    Container& container = view.containers[i];
    if (!is_resizable(container)) continue;
    const auto* allocated = [&]() -> const policy::Requirements* {
      if (allocation == nullptr) return nullptr;
      const auto at = allocation->containers.find(container.name);
      return at == allocation->containers.end() ? nullptr : &at->second;
    }();
    if (allocated != nullptr) {
      container.allocated_requests = allocated->requests;
      container.allocated_limits = allocated->limits;
    }
    if (report == nullptr) continue;
    const auto reported = report->containers.find(container.name);
    if (reported == report->containers.end()) {
      lay_absence(container, seen);
    } else if (allocated != nullptr) {
      lay_report(container, seen.containers[i], *allocated, reported->second);
    } else {
      container.state = reported->second.state;
    }
  }
  if (allocation != nullptr) lay_pod_level(view, *allocation, report, weights);
  return view;
}

std::optional<PodAllocation> adopt(const policy::Pod& seen) {
  if (policy::is_capped(seen)) return std::nullopt;
  PodAllocation allocation{.ns = seen.ns, .name = seen.name, .generation = seen.generation};
  bool is_desired = true;
  for (const Container& container : seen.containers) {
    if (!is_resizable(container)) continue;
    const std::optional<policy::Resources> requests =
        shown_requests(container.allocated_requests, container.actual_requests, container.desired);
    if (!requests) return std::nullopt;
    is_desired = is_desired && equal_amounts(*requests, container.desired.requests);
    allocation.containers.emplace(
        container.name,
        policy::Requirements{*requests, container.actual_limits.value_or(policy::Resources{})});
  }
  const policy::PodLevel& level = seen.pod_level;
  const auto named = [](const policy::Resources& desired, const policy::Resources& shown) {
    policy::Resources only;
    policy::for_each_amount(desired, [&](std::string_view name, std::int64_t) {
      policy::set_amount(only, name, policy::amount_of(shown, name));
    });
    return only;
  };
  if (!policy::is_zero(level.desired.requests) || !policy::is_zero(level.desired.limits)) {
    const auto requests =
        shown_requests(level.allocated_requests, level.actual_requests, level.desired);
    if (!requests) return std::nullopt;
    allocation.pod_level.requests = named(level.desired.requests, *requests);
    allocation.pod_level.limits =
        named(level.desired.limits, level.actual_limits.value_or(policy::Resources{}));
    is_desired = is_desired && equal_amounts(allocation.pod_level.requests, level.desired.requests);
  }
  if (!is_desired && seen.generation > 0) --allocation.generation;
  return allocation;
}

PodAllocation desired_allocation(const policy::Pod& pod) {
  PodAllocation allocation{.ns = pod.ns, .name = pod.name, .generation = pod.generation};
  for (const Container& container : pod.containers) {
    if (is_resizable(container)) allocation.containers.emplace(container.name, container.desired);
  }
  allocation.pod_level = pod.pod_level.desired;
  return allocation;
}

}  // namespace elbowroom::agent
