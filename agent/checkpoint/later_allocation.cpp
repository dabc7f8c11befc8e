#include "agent/checkpoint/later_allocation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/next_step.h"
#include "agent/pod_view.h"
#include "policy/model/condition.h"

namespace elbowroom::agent {
namespace {

// Returns the pod's latest generation with a resize condition; 0: none.
std::int64_t judged_generation(const policy::Pod& seen) {
  std::int64_t latest = 0;
  for (const auto& type : {policy::kPodResizePending, policy::kPodResizeInProgress}) {
    const policy::Condition* stands = policy::find_condition(seen.conditions, type);
    if (stands == nullptr || stands->status != "True") continue;
    const std::int64_t of = stands->observed_generation.value_or(0);
    if (of <= seen.generation) latest = std::max(latest, of);
  }
  return latest;
}

// Agents write allocation and conditions together, so an allocation beside a condition of a later
// generation is no older than the condition.
bool shows_another(const policy::Pod& seen, const PodAllocation& promised) {
  bool differs = false;
  for (const auto& [name, allocated] : promised.containers) {
    const auto at = std::ranges::find(seen.containers, name, &policy::Container::name);
    if (at == seen.containers.end()) return false;
    // An empty map is not shown.
    if (!at->allocated_requests && policy::is_zero(allocated.requests)) continue;
    if (!at->allocated_requests) return false;
    differs = differs || !equal_amounts(*at->allocated_requests, allocated.requests);
  }
  const auto& level = seen.pod_level.allocated_requests;
  return differs || (level && !equal_amounts(*level, promised.pod_level.requests));
}

policy::Resources requests_of(const PodAllocation& allocation) {
  policy::Resources sum;
  for (const auto& [name, allocated] : allocation.containers) {
    policy::add_to(sum, allocated.requests);
  }
  return policy::max_of(sum, allocation.pod_level.requests);
}

void lower(policy::Resources& of, const policy::Resources& to, std::string_view name) {
  policy::set_amount(of, name, std::min(policy::amount_of(of, name), policy::amount_of(to, name)));
}

bool runs(const policy::Pod& seen, const PodAllocation& allocation, const PodReport& report) {
  return is_settled(view_of(seen, &allocation, &report), allocation, report);
}

}  // namespace

std::optional<PodAllocation> later_allocation(const policy::Pod& seen,
                                              const PodAllocation& promised,
                                              const PodReport* report) {
  if (promised.generation == 0 || promised.generation >= seen.generation) return std::nullopt;
  std::optional<PodAllocation> shown = adopt(seen);
  const bool is_another = shown && shows_another(seen, promised);
  if (is_another && judged_generation(seen) > promised.generation) return shown;
  if (report != nullptr && is_unread(*report)) return std::nullopt;
  // A completed resize leaves no condition, and possibly no container runs. An older status looks
  // the same if the spec was reverted since; then the promised allocation may be running.
  const bool is_complete = is_another && shown->generation == seen.generation;
  const auto may_run = [&](const PodAllocation& allocation) {
    return report == nullptr || runs(seen, allocation, *report);
  };
  if (is_complete && (may_run(*shown) || !may_run(promised))) return shown;
  if (report == nullptr || runs(seen, promised, *report)) return std::nullopt;
  if (shown && runs(seen, *shown, *report)) return shown;
  PodAllocation desired = desired_allocation(seen);
  if (runs(seen, desired, *report)) return desired;
  return std::nullopt;
}

PodAllocation within_room(PodAllocation later, const PodAllocation& promised,
                          const RoomBeside& room) {
  const policy::Resources wanted = requests_of(later);
  const policy::Resources all = policy::sum(wanted, room.others);
  policy::for_each_amount(wanted, [&](std::string_view name, std::int64_t amount) {
    const bool fits = policy::amount_of(all, name) <= policy::amount_of(room.allocatable, name);
    if (fits || amount <= policy::amount_of(room.held, name)) return;
    for (auto& [container, allocated] : later.containers) {
      const auto before = promised.containers.find(container);
      if (before != promised.containers.end()) {
        lower(allocated.requests, before->second.requests, name);
      }
    }
    lower(later.pod_level.requests, promised.pod_level.requests, name);
  });
  return later;
}

}  // namespace elbowroom::agent
