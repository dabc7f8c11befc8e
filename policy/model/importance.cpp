#include "policy/model/importance.h"

#include <utility>

namespace elbowroom::policy {

VictimUnit unit_of(const Pod& pod) {
  return {.priority = priority_of(pod),
          .is_group = false,
          .members = 1,
          .qos = qos_of(pod),
          .started = pod.started,
          .uid = pod.uid};
}

Importance importance_of(const VictimUnit& unit, RuleSet rules) {
  const bool upstream = rules == RuleSet::Upstream;
  return {.negated_priority = -std::int64_t{unit.priority},
          .is_pod = !unit.is_group,
          .qos_rank = upstream ? 0 : std::to_underlying(unit.qos),
          .negated_members = upstream ? -unit.members : 0,
          .never_started = !unit.started,
          .started = unit.started.value_or(Time{}),
          .uid = unit.uid};
}

Importance importance_of(const Pod& pod, RuleSet rules) {
  const bool upstream = rules == RuleSet::Upstream;
  return {.negated_priority = -std::int64_t{priority_of(pod)},
          .is_pod = true,
          .qos_rank = upstream ? 0 : std::to_underlying(qos_of(pod)),
          .negated_members = upstream ? -1 : 0,
          .never_started = !pod.started,
          .started = pod.started.value_or(Time{}),
          .uid = pod.uid};
}

}  // namespace elbowroom::policy
