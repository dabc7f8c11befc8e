#include "agent/node_totals.h"

#include "policy/model/charge.h"

namespace elbowroom::agent {

NodeTotals sum_up(const policy::Node* node, const std::vector<policy::Pod>& pods) {
  NodeTotals of;
  if (node != nullptr) of.allocatable = node->allocatable;
  for (const policy::Pod& pod : pods) {
    if (!policy::holds_room(pod)) continue;
    const policy::Totals totals = policy::totals_of(pod);
    policy::add_to(of.desired, totals.desired);
    policy::add_to(of.allocated, totals.allocated);
    policy::add_to(of.actual, totals.actual);
    if (totals.allocated.cpu != totals.actual.cpu) ++of.cpu_mismatches;
    if (totals.allocated.memory != totals.actual.memory) ++of.memory_mismatches;
  }
  return of;
}

}  // namespace elbowroom::agent
