#include "policy/resize/retry_order.h"

#include "policy/model/charge.h"

namespace elbowroom::policy {

bool increases_requests(const Pod& pod) {
  const Totals totals = totals_of(pod);
  return totals.desired.cpu > totals.allocated.cpu ||
         totals.desired.memory > totals.allocated.memory;
}

RetryKey retry_key(const Pod& pod, std::uint64_t arrival) {
  const Condition* pending = find_condition(pod.conditions, kPodResizePending);
  const bool judged = pending != nullptr && pending->last_transition.has_value();
  return {.increases = increases_requests(pod),
          .negated_priority = -std::int64_t{own_priority_of(pod)},
          .not_guaranteed = qos_of(pod) != Qos::Guaranteed,
          .never_judged = !judged,
          .pending_since = judged ? *pending->last_transition : Time{},
          .arrival = arrival,
          .uid = pod.uid};
}

}  // namespace elbowroom::policy
