#include "scheduler/resizing/room_expected.h"

#include <algorithm>

#include "policy/model/charge.h"
#include "policy/preemption/fit.h"
#include "policy/resize/resize.h"

namespace elbowroom::scheduler {
namespace {

policy::Fit fit_of(const policy::Node& node, const policy::Pod& waits) {
  const policy::Totals totals = policy::totals_of(waits);
  policy::Fit fit{.capacity = node.allocatable, .charge = policy::resizing_charge(totals)};
  for (const std::string_view name : policy::raised_resources(node, totals)) {
    fit.checked.emplace_back(name);
  }
  return fit;
}

}  // namespace

std::optional<policy::Time> room_expected_by(const policy::Node& node,
                                             std::span<const policy::Pod> pods,
                                             const policy::Pod& waits,
                                             std::vector<PendingRoom> coming) {
  if (coming.empty()) return std::nullopt;
  std::ranges::sort(coming, {}, &PendingRoom::by);
  const policy::Fit fit = fit_of(node, waits);
  for (const PendingRoom& each : coming) {
    policy::ChargeSum others;
    others.leave_out(policy::shareable_claims(waits));
    for (const policy::Pod& pod : pods) {
      if (pod.uid == waits.uid || !policy::holds_room(pod)) continue;
      const auto at = std::ranges::find(coming, pod.uid, &PendingRoom::uid);
      const bool has_come = at != coming.end() && at->by <= each.by;
      others.add(pod, has_come ? at->keeps : policy::held_charge(pod));
    }
    if (policy::is_zero(policy::lacking(fit, others.total()))) return each.by;
  }
  return coming.back().by;
}

}  // namespace elbowroom::scheduler
