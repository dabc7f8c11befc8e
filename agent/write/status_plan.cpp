#include "agent/write/status_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/pod_view.h"

namespace elbowroom::agent {
namespace {

using policy::Condition;

bool says_the_same(const Condition& stands, const Condition& wanted) {
  return stands.status == wanted.status && stands.reason == wanted.reason &&
         stands.message == wanted.message &&
         (!stands.observed_generation || stands.observed_generation == wanted.observed_generation);
}

// An empty map and a missing one are the same: servers and clients drop empty maps.
bool shows(const std::optional<policy::Resources>& seen, const policy::Resources& figure) {
  return equal_amounts(seen.value_or(policy::Resources{}), figure);
}

// Of a container, or of the pod level.
template <class Level>
bool shows(const Level& seen, const ContainerFigures& figures) {
  return shows(seen.allocated_requests, figures.allocated) &&
         shows(seen.actual_requests, figures.actual.requests) &&
         shows(seen.actual_limits, figures.actual.limits);
}

void plan_figures(const policy::Pod& seen, const policy::Pod& view, const PodAllocation& allocation,
                  std::string_view restarting, WriteStatus& write) {
  for (std::size_t i = 0; i < view.containers.size(); ++i) {
    const policy::Container& container = view.containers[i];
    const auto allocated = allocation.containers.find(container.name);
    // Without a container status there is no field to write: the pod runner creates it first.
    if (allocated == allocation.containers.end()) continue;
    if (seen.containers[i].state == policy::RunState::None) continue;
    ContainerFigures figures{
        .allocated = allocated->second.requests,
        .actual = {.requests = container.actual_requests.value_or(allocated->second.requests),
                   .limits = container.actual_limits.value_or(allocated->second.limits)}};
    if (container.name == restarting) figures.actual.limits = allocated->second.limits;
    if (!shows(seen.containers[i], figures)) {
      write.containers.emplace(container.name, std::move(figures));
    }
  }
}

void plan_pod_level(const policy::Pod& seen, const policy::Pod& view,
                    const PodAllocation& allocation, WriteStatus& write) {
  const bool used = !policy::is_zero(allocation.pod_level.requests) ||
                    !policy::is_zero(allocation.pod_level.limits);
  if (!used) return;
  ContainerFigures figures{
      .allocated = allocation.pod_level.requests,
      .actual = {.requests = view.pod_level.actual_requests.value_or(allocation.pod_level.requests),
                 .limits = view.pod_level.actual_limits.value_or(allocation.pod_level.limits)}};
  if (!shows(seen.pod_level, figures)) write.pod_level = std::move(figures);
}

}  // namespace

bool shows_start(const policy::Pod& seen, std::string_view container,
                 const PodAllocation& allocation) {
  const auto at = std::ranges::find(seen.containers, container, &policy::Container::name);
  const auto allocated = allocation.containers.find(container);
  if (at == seen.containers.end() || allocated == allocation.containers.end()) return false;
  return at->state != policy::RunState::None &&
         shows(at->allocated_requests, allocated->second.requests) &&
         shows(at->actual_limits, allocated->second.limits);
}

void plan_condition(const policy::Pod& seen, std::string_view type,
                    const std::optional<Condition>& wanted, WriteStatus& write) {
  const Condition* stands = policy::find_condition(seen.conditions, type);
  const bool same =
      wanted ? stands != nullptr && says_the_same(*stands, *wanted) : stands == nullptr;
  if (same) return;
  if (wanted) {
    write.set.push_back(*wanted);
  } else {
    write.remove.emplace_back(type);
  }
  if (type == policy::kPodResizePreemptionDisabled) write.read_at = seen.resource_version;
}

std::optional<WriteStatus> plan_status(const policy::Pod& seen, const policy::Pod& view,
                                       const policy::ResizeConditions& wanted,
                                       const PodAllocation* allocation,
                                       std::string_view restarting) {
  WriteStatus write{.pod_uid = seen.uid, .ns = seen.ns, .name = seen.name};
  plan_condition(seen, policy::kPodResizePending, wanted.pending, write);
  plan_condition(seen, policy::kPodResizeInProgress, wanted.in_progress, write);
  plan_condition(seen, policy::kPodResizePreemptionDisabled, wanted.preemption_disabled, write);
  if (allocation != nullptr) {
    plan_figures(seen, view, *allocation, restarting, write);
    plan_pod_level(seen, view, *allocation, write);
  }
  const bool nothing =
      write.set.empty() && write.remove.empty() && write.containers.empty() && !write.pod_level;
  if (nothing) return std::nullopt;
  return write;
}

}  // namespace elbowroom::agent
