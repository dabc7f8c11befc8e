#include "cli/input/pod_groups.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/codec/decode_pod_group.h"
#include "cli/input/completed_object.h"

namespace elbowroom::cli {

Result<policy::PodGroup> group_of(const Value& object) {
  return api::decode_pod_group(completed_object(object, "PodGroup"));
}

void resolve_priority(policy::PodGroup& group, const PriorityClasses& classes) {
  const api::PriorityClass* from = classes.find(group.priority_class);
  if (from == nullptr) return;
  if (!group.has_priority) group.standing.priority = from->value;
  if (!group.has_policy && from->never_preempts) {
    group.standing.preemption_policy = policy::PreemptionPolicy::Never;
  }
}

void stamp_groups(std::vector<policy::Pod>& pods, const std::vector<policy::PodGroup>& groups) {
  using Key = std::pair<std::string_view, std::string_view>;
  const auto key = [](const policy::PodGroup& group) { return Key(group.ns, group.name); };
  for (policy::Pod& pod : pods) {
    if (!is_grouped(pod)) continue;
    const Key wanted(pod.ns, pod.scheduling_group);
    const auto found = std::ranges::lower_bound(groups, wanted, {}, key);
    if (found != groups.end() && key(*found) == wanted) pod.group = found->standing;
  }
}

}  // namespace elbowroom::cli
