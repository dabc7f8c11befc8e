#include "agent/write/policy_write.h"

#include "agent/write/status_plan.h"
#include "policy/model/charge.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::agent {

std::optional<WriteStatus> plan_policy_write(const policy::Pod& seen, const policy::Node& node,
                                             policy::Time now) {
  const bool waits =
      policy::is_deferred(seen) && !policy::is_terminating(seen) && !policy::is_finished(seen);
  const auto wanted = policy::preemption_disabled_condition(seen, node, waits, now);
  WriteStatus write{.pod_uid = seen.uid, .ns = seen.ns, .name = seen.name};
  plan_condition(seen, policy::kPodResizePreemptionDisabled, wanted, write);
  if (write.set.empty() && write.remove.empty()) return std::nullopt;
  return write;
}

}  // namespace elbowroom::agent
