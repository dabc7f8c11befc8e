#include "scheduler/placing/schedule_terms.h"

namespace elbowroom::scheduler {

policy::ScheduleTerms terms_for(const policy::Pod& pod, ReactorState& state) {
  const auto now = state.time();
  policy::ScheduleTerms terms;
  terms.lapsed.overdue = state.cluster.deadlines().overdue(now);
  terms.waits_until = state.server_time() + policy::kLongestAwaited;
  terms.unremovable = state.cluster.refusals().uids(now);
  terms.avoided = state.cluster.avoided_nodes().avoided_by(pod, now);
  const cluster::Snapshot& snapshot = state.cluster.snapshot();
  if (snapshot.unreadable() > 0) {
    for (auto& [node, why] : snapshot.unclear_nodes()) terms.avoided.try_emplace(node, why);
  }
  return terms;
}

}  // namespace elbowroom::scheduler
