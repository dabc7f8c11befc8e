#include "policy/importance.h"

namespace elbowroom::policy {

Importance importance_of(const Pod& pod, RuleSet rules) {
  return {.negated_priority = -std::int64_t{priority_of(pod)},
          .qos_rank = rules == RuleSet::Elbowroom ? static_cast<int>(qos_of(pod)) : 0,
          .never_started = !pod.started.has_value(),
          .started = pod.started.value_or(Time{}),
          .uid = pod.uid};
}

}  // namespace elbowroom::policy
