#include "policy/moves/replica.h"

#include "policy/model/condition.h"

namespace elbowroom::policy {

std::optional<Replica> replica_of(const Pod& pod) {
  if (is_terminating(pod) || is_finished(pod)) return std::nullopt;
  const Condition* ready = find_condition(pod.conditions, kReady);
  return Replica{.key = key_of(pod),
                 .is_ready = (ready == nullptr || ready->status == "True") && !pod.node.empty(),
                 .started = pod.started};
}

}  // namespace elbowroom::policy
