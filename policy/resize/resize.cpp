#include "policy/resize/resize.h"

#include <algorithm>
#include <array>
#include <optional>

namespace elbowroom::policy {
namespace {

const Resources kNothing;

bool differ(const Resources& a, const Resources& b) {
  return exceeds_anywhere(a, b) || exceeds_anywhere(b, a);
}

const Resources& promised_limits(const Container& container) {
  if (container.allocated_limits) return *container.allocated_limits;
  if (container.actual_limits) return *container.actual_limits;
  return container.desired.limits;
}

// A node reports limits with what claims add to them.
bool limits_change(const Pod& pod, const Container& container) {
  const Resources& promised = promised_limits(container);
  Resources most = container.desired.limits;
  if (!container.allocated_limits) {
    for (const ClaimedResources& each : pod.claimed) add_to(most, each.amounts);
  }
  return exceeds_anywhere(container.desired.limits, promised) || exceeds_anywhere(promised, most);
}

bool container_changes(const Pod& pod, const Container& container) {
  if (container.kind == ContainerKind::Init) return false;
  return differ(container.desired.requests, allocated_or_fallback(pod, container)) ||
         limits_change(pod, container);
}

// Compares only what the spec names at pod level. The status may also carry the aggregate.
bool pod_level_changes(const Pod& pod) {
  const PodLevel& level = pod.pod_level;
  const auto changes = [](const Resources& desired, const Resources& promised) {
    bool differs = false;
    for_each_amount(desired, [&](std::string_view name, std::int64_t amount) {
      differs = differs || (is_pod_level_resource(name) && amount != amount_of(promised, name));
    });
    return differs;
  };
  if (level.allocated_requests && changes(level.desired.requests, *level.allocated_requests)) {
    return true;
  }
  // Without a figure, the spec counts as allocated; or nothing does, if the resize was Infeasible.
  if (!level.allocated_requests && is_infeasible(pod) &&
      changes(level.desired.requests, kNothing)) {
    return true;
  }
  const std::optional<Resources>& limits =
      level.allocated_limits ? level.allocated_limits : level.actual_limits;
  return limits && changes(level.desired.limits, *limits);
}

bool request_changes(const Pod& pod, std::string_view resource) {
  const auto differs = [&](const Container& container) {
    return container.kind != ContainerKind::Init &&
           amount_of(container.desired.requests, resource) !=
               amount_of(allocated_or_fallback(pod, container), resource);
  };
  if (std::ranges::any_of(pod.containers, differs)) return true;
  const PodLevel& level = pod.pod_level;
  return level.allocated_requests && amount_of(level.desired.requests, resource) != 0 &&
         amount_of(level.desired.requests, resource) !=
             amount_of(*level.allocated_requests, resource);
}

bool swap_forbids(const Pod& pod) {
  return std::ranges::any_of(pod.containers, [&](const Container& container) {
    const bool changes =
        container.desired.requests.memory != allocated_or_fallback(pod, container).memory;
    return changes && container.memory_resize != ResizePolicy::RestartContainer &&
           (container.swaps || container.would_swap);
  });
}

ResizeDecision infeasible(std::string detail, std::string message) {
  return {Verdict::Infeasible,
          std::string(kReasonInfeasible),
          std::move(detail),
          std::move(message),
          {}};
}

// Reasons that waiting cannot change.
std::optional<ResizeDecision> refusal(const Pod& pod, const ManagerPolicies& managers) {
  if (pod.is_static || pod.is_mirror) {
    return infeasible("static_pod", "In-place resize of static-pods is not supported");
  }
  if (swap_forbids(pod)) {
    return infeasible("swap_limitation",
                      "In-place resize of containers with swap is not supported.");
  }
  if (qos_of(pod) != Qos::Guaranteed) return std::nullopt;
  if (managers.static_cpu && request_changes(pod, kCpu)) {
    return infeasible("guaranteed_pod_cpu_manager_static_policy",
                      "Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "
                      "\"static\"");
  }
  if (managers.static_memory && request_changes(pod, kMemory)) {
    return infeasible("guaranteed_pod_memory_manager_static_policy",
                      "Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "
                      "\"Static\"");
  }
  return std::nullopt;
}

std::optional<ResizeDecision> above_allocatable(const Node& node, const Pod& pod,
                                                const Totals& totals,
                                                std::vector<std::string_view> raised) {
  // Where both are too large, memory is reported, as upstream.
  if (const auto memory = std::ranges::find(raised, kMemory); memory != raised.end()) {
    std::rotate(raised.begin(), memory, memory + 1);
  }
  for (const std::string_view name : raised) {
    const std::int64_t requested = amount_of(totals.desired, name);
    const std::int64_t capacity = amount_of(node.allocatable, name);
    // A saturated total is too large for any node.
    const bool is_saturated = requested == kMaxAmount && leaves_64_bits(pod, name);
    if (requested <= capacity && !is_saturated) continue;
    return infeasible("insufficient_node_allocatable",
                      "Node didn't have enough capacity: " + std::string(name) + ", requested: " +
                          std::to_string(requested) + ", capacity: " + std::to_string(capacity));
  }
  return std::nullopt;
}

std::vector<Shortage> shortages_of(const Node& node, const Totals& totals,
                                   const Resources& others_held,
                                   const std::vector<std::string_view>& raised) {
  const Resources charge = resizing_charge(totals);
  std::vector<Shortage> shortages;
  for (const std::string_view name : raised) {
    const std::int64_t requested = amount_of(charge, name);
    const std::int64_t used = amount_of(others_held, name);
    const std::int64_t capacity = amount_of(node.allocatable, name);
    // requested <= capacity here, so capacity - requested cannot overflow.
    if (used <= capacity - requested) continue;
    shortages.push_back(
        {std::string(name), requested, used, capacity, used - (capacity - requested)});
  }
  return shortages;
}

ResizeDecision deferred(std::vector<Shortage> shortages) {
  const Shortage& first = shortages.front();
  return {Verdict::Deferred, "OutOf" + first.resource, "",
          "Node didn't have enough resource: " + first.resource + ", requested: " +
              std::to_string(first.requested) + ", used: " + std::to_string(first.used) +
              ", capacity: " + std::to_string(first.capacity),
          std::move(shortages)};
}

}  // namespace

std::vector<std::string_view> raised_resources(const Node& node, const Totals& totals) {
  std::vector<std::string_view> raised;
  for_each_amount(totals.desired, [&](std::string_view name, std::int64_t) {
    const bool native = name == kCpu || name == kMemory || name == kEphemeralStorage ||
                        name.starts_with("hugepages-");
    if (!native && amount_of(node.allocatable, name) == 0) return;
    if (raises(totals, name)) raised.push_back(name);
  });
  return raised;
}

bool resize_is_pending(const Pod& pod) {
  return pod_level_changes(pod) || std::ranges::any_of(pod.containers, [&](const Container& each) {
           return container_changes(pod, each);
         });
}

ResizeDecision decide_resize(const Node& node, const Pod& pod, const Resources& others_held,
                             const ManagerPolicies& managers) {
  if (!resize_is_pending(pod)) return {};

  if (auto refused = refusal(pod, managers)) return *std::move(refused);

  const Totals totals = totals_of(pod);
  const std::vector<std::string_view> raised = raised_resources(node, totals);
  if (auto refused = above_allocatable(node, pod, totals, raised)) return *std::move(refused);

  std::vector<Shortage> shortages = shortages_of(node, totals, others_held, raised);
  if (!shortages.empty()) return deferred(std::move(shortages));
  return {Verdict::Allocated, "", "", "", {}};
}

Resources held_by_others(const std::vector<Pod>& pods, std::string_view uid) {
  ChargeSum held;
  const auto one = std::ranges::find(pods, uid, &Pod::uid);
  if (one != pods.end()) held.leave_out(shareable_claims(*one));
  for (const Pod& pod : pods) {
    if (pod.uid != uid && holds_room(pod)) held.add(pod, held_charge(pod));
  }
  return held.total();
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Unchanged:
      return "Unchanged";
    case Verdict::Allocated:
      return "Allocated";
    case Verdict::Deferred:
      return "Deferred";
    case Verdict::Infeasible:
      return "Infeasible";
  }
  return "Unchanged";
}

}  // namespace elbowroom::policy
