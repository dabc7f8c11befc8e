#include "scheduler/resizing/room_deadlines.h"

#include <algorithm>

#include "policy/model/charge.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

bool shrinks_in_runtime(const policy::Totals& totals) {
  return policy::exceeds_anywhere(totals.actual, totals.allocated);
}

// True if the pod asks for less than it was allocated and for more of nothing, and awaits the
// decision.
bool shrinks_unjudged(const Pod& pod, const policy::Totals& totals) {
  return !policy::is_infeasible(pod) &&
         policy::exceeds_anywhere(totals.allocated, totals.desired) &&
         !policy::exceeds_anywhere(totals.desired, policy::held_charge(totals));
}

}  // namespace

void RoomDeadlines::saw(const Pod& pod, Time now) {
  const policy::Totals totals = policy::totals_of(pod);
  const bool in_runtime = shrinks_in_runtime(totals);
  const bool unjudged = shrinks_unjudged(pod, totals);
  if (!pod.deletion && !in_runtime && !unjudged) {
    if (!clocks_.empty()) forget(policy::key_of(pod));
    return;
  }
  const std::string key = policy::key_of(pod);
  Clocks& clocks = clocks_[key];
  if (pod.deletion && clocks.deletion != pod.deletion) {
    clocks.deletion = pod.deletion;
    clocks.overdue = now + std::chrono::seconds(pod.deletion_grace_seconds) + kBeyondDeadline;
    overdue_.erase(clocks.uid);
    clocks.uid = pod.uid;
    overdue_at_.set(key, *clocks.overdue);
  }
  if (!in_runtime) {
    clocks.stuck_shrink.reset();
  } else if (!clocks.stuck_shrink || clocks.shrinks_to != totals.allocated) {
    clocks.stuck_shrink = now + kShrinkMayTake;
    clocks.shrinks_to = totals.allocated;
  }
  if (!unjudged) {
    clocks.unjudged_shrink.reset();
  } else if (!clocks.unjudged_shrink || clocks.shrink_generation != pod.generation) {
    clocks.unjudged_shrink = now + kJudgementMayTake;
    clocks.shrink_generation = pod.generation;
  }
}

void RoomDeadlines::forget(const std::string& key) {
  const auto at = clocks_.find(key);
  if (at == clocks_.end()) return;
  const std::string uid = at->second.uid;
  overdue_at_.forget(key);
  clocks_.erase(at);
  if (overdue_.erase(uid) == 0) return;
  // Another object of that uid, which contradicts this one, may still be overdue.
  for (const auto& [other, clocks] : clocks_) {
    if (clocks.uid == uid && clocks.overdue) overdue_at_.set(other, *clocks.overdue);
  }
}

const std::set<std::string, std::less<>>& RoomDeadlines::overdue(Time now) {
  for (const std::string& key : overdue_at_.take_due(now)) overdue_.insert(clocks_.at(key).uid);
  return overdue_;
}

policy::OverduePods RoomDeadlines::lapsed(std::span<const Pod> pods, Time now) const {
  policy::OverduePods lapsed;
  for (const Pod& pod : pods) {
    const auto at = clocks_.find(policy::key_of(pod));
    if (at == clocks_.end()) continue;
    const Clocks& clocks = at->second;
    if (clocks.overdue && *clocks.overdue <= now) lapsed.overdue.insert(pod.uid);
    if (clocks.stuck_shrink && *clocks.stuck_shrink <= now) lapsed.stuck_shrinks.insert(pod.uid);
    if (clocks.unjudged_shrink && *clocks.unjudged_shrink <= now) {
      lapsed.unevaluated_shrinks.insert(pod.uid);
    }
  }
  return lapsed;
}

std::optional<RoomDeadlines::Time> RoomDeadlines::shrinks_by(const Pod& pod, Time now) const {
  const auto at = clocks_.find(policy::key_of(pod));
  if (at == clocks_.end()) return std::nullopt;
  std::optional<Time> by;
  for (const auto& each : {at->second.stuck_shrink, at->second.unjudged_shrink}) {
    if (each > now) by = std::max(by.value_or(*each), *each);
  }
  return by;
}

std::optional<RoomDeadlines::Time> RoomDeadlines::next(std::span<const Pod> pods, Time now) const {
  std::optional<Time> next;
  const auto consider = [&](const std::optional<Time>& at) {
    if (at > now && (!next || at < next)) next = at;  // one that is not set is never later
  };
  for (const Pod& pod : pods) {
    const auto at = clocks_.find(policy::key_of(pod));
    if (at == clocks_.end()) continue;
    consider(at->second.overdue);
    consider(at->second.stuck_shrink);
    consider(at->second.unjudged_shrink);
  }
  return next;
}

}  // namespace elbowroom::scheduler
