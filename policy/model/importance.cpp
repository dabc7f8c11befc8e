#include "policy/model/importance.h"

#include <utility>

namespace elbowroom::policy {

Importance importance_of(const UnitRank& unit, RuleSet rules) {
  const bool upstream = rules == RuleSet::Upstream;
  return {.negated_priority = -std::int64_t{unit.priority},
          .is_pod = !(unit.is_group || (upstream && unit.is_grouped)),
          .qos_rank = upstream ? 0 : std::to_underlying(unit.qos),
          .negated_members = upstream ? -unit.members : 0,
          .never_started = !unit.started,
          .started = unit.started.value_or(Time{}),
          .uid = unit.uid};
}

Importance importance_of(const Pod& pod, RuleSet rules) {
  return importance_of(rank_of(pod), rules);
}

}  // namespace elbowroom::policy
