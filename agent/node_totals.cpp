#include "agent/node_totals.h"

#include "policy/model/charge.h"

namespace elbowroom::agent {

NodeTotals sum_up(const policy::Node* node, const std::vector<policy::Pod>& pods) {
  NodeTotals of;
  if (node != nullptr) of.allocatable = node->allocatable;
  policy::ChargeSum desired;
  policy::ChargeSum allocated;
  policy::ChargeSum actual;
  for (const policy::Pod& pod : pods) {
    if (!policy::holds_room(pod)) continue;
    const policy::Totals totals = policy::totals_of(pod);
    desired.add(pod, totals.desired);
    allocated.add(pod, totals.allocated);
    actual.add(pod, totals.actual);
    if (totals.allocated.cpu != totals.actual.cpu) ++of.cpu_mismatches;
    if (totals.allocated.memory != totals.actual.memory) ++of.memory_mismatches;
  }
  of.desired = desired.total();
  of.allocated = allocated.total();
  of.actual = actual.total();
  return of;
}

}  // namespace elbowroom::agent
