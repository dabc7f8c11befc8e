#include "policy/model/rejected_pods.h"

#include <algorithm>

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

std::optional<std::string> never_fits(const Node& node, const Pod& pod) {
  if (!has_not_begun(pod)) return std::nullopt;
  std::optional<std::string> first;
  for_each_amount(totals_of(pod).desired, [&](std::string_view name, std::int64_t amount) {
    const std::int64_t capacity = amount_of(node.allocatable, name);
    const bool is_native = is_pod_level_resource(name) || name == kEphemeralStorage;
    const bool counts = name == kCpu || name == kMemory || (is_native && capacity > 0);
    // A saturated total is too large for any node.
    const bool is_saturated = amount == kMaxAmount && leaves_64_bits(pod, name);
    if (!first && counts && (amount > capacity || is_saturated)) first = name;
  });
  return first;
}

}  // namespace elbowroom::policy
