#include "policy/model/rejected_pods.h"

#include <algorithm>
#include <tuple>

#include "policy/model/charge.h"
#include "policy/model/resources.h"

namespace elbowroom::policy {

bool has_not_begun(const Pod& pod) {
  const PodLevel& level = pod.pod_level;
  return pod.phase == Phase::Pending && !level.allocated_requests && !level.actual_requests &&
         std::ranges::all_of(pod.containers, [](const Container& each) {
           return each.state == RunState::None && !each.allocated_requests && !each.actual_requests;
         });
}

namespace {

// The first resource in which the pod's request exceeds what the others leave.
std::optional<std::string> first_lacking(const Node& node, const Pod& pod, const Resources& used) {
  std::optional<std::string> first;
  for_each_amount(totals_of(pod).desired, [&](std::string_view name, std::int64_t amount) {
    const std::int64_t capacity = amount_of(node.allocatable, name);
    const bool is_native = is_pod_level_resource(name) || name == kEphemeralStorage;
    const bool counts = name == kCpu || name == kMemory || (is_native && capacity > 0);
    // A saturated total is too large for any node.
    const bool is_saturated = amount == kMaxAmount && leaves_64_bits(pod, name);
    const bool fits = amount <= capacity && amount_of(used, name) <= capacity - amount;
    if (!first && counts && (!fits || is_saturated)) first = name;
  });
  return first;
}

Rejection out_of(std::string_view resource, std::int64_t requested, std::int64_t used,
                 std::int64_t capacity) {
  return {.reason = "OutOf" + std::string(resource),
          .message = "Node didn't have enough resource: " + std::string(resource) +
                     ", requested: " + std::to_string(requested) +
                     ", used: " + std::to_string(used) + ", capacity: " + std::to_string(capacity)};
}

}  // namespace

std::optional<std::string> never_fits(const Node& node, const Pod& pod) {
  if (!has_not_begun(pod)) return std::nullopt;
  return first_lacking(node, pod, {});
}

bool awaits_admission(const Pod& pod) {
  return has_not_begun(pod) && !pod.started && !is_terminating(pod) && !pod.is_static &&
         !pod.is_mirror;
}

bool is_admitted_before(const Pod& a, const Pod& b) {
  return std::tie(a.created, a.uid) < std::tie(b.created, b.uid);
}

std::optional<Rejection> rejection_of(const Node& node, const Pod& pod, const TakenRoom& taken) {
  if (taken.pods >= node.allowed_pods) return out_of("pods", 1, taken.pods, node.allowed_pods);
  const auto name = first_lacking(node, pod, taken.amounts);
  if (!name) return std::nullopt;
  return out_of(*name, amount_of(totals_of(pod).desired, *name), amount_of(taken.amounts, *name),
                amount_of(node.allocatable, *name));
}

}  // namespace elbowroom::policy
