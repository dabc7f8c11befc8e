#include "scheduler/placing/schedule_terms.h"

#include <utility>

namespace elbowroom::scheduler {
namespace {

policy::AvoidedByName avoided_by(const policy::Pod& pod, ReactorState& state) {
  return state.cluster.avoided_nodes().avoided_by(pod, state.time());
}

// Whichever pod is placed.
policy::ScheduleTerms terms_for_any(ReactorState& state) {
  const auto now = state.time();
  policy::ScheduleTerms terms;
  terms.now = state.server_time();
  terms.lapsed.overdue = state.cluster.deadlines().overdue(now);
  terms.waits_until = state.server_time() + policy::kLongestAwaited;
  terms.unremovable = state.cluster.refusals().uids(now);
  const cluster::Snapshot& snapshot = state.cluster.snapshot();
  if (snapshot.unreadable() > 0) terms.avoided = snapshot.unclear_nodes();
  // Nor does a pod there go with its group.
  for (const auto& [node, why] : terms.avoided) terms.no_victims_on.insert(node);
  return terms;
}

}  // namespace

policy::ScheduleTerms terms_for(const policy::Pod& pod, ReactorState& state) {
  policy::ScheduleTerms terms = terms_for_any(state);
  policy::AvoidedByName own = avoided_by(pod, state);
  own.merge(terms.avoided);
  terms.avoided = std::move(own);
  return terms;
}

policy::ScheduleTerms terms_for(std::span<const policy::Pod> members, ReactorState& state) {
  policy::ScheduleTerms terms = terms_for_any(state);
  for (const policy::Pod& pod : members) {
    policy::AvoidedByName own = avoided_by(pod, state);
    if (!own.empty()) terms.avoided_by_pod.emplace(pod.uid, std::move(own));
  }
  return terms;
}

}  // namespace elbowroom::scheduler
