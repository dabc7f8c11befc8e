#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

bool ReactorState::may_act() const { return leads() && cluster.is_following(); }

void ReactorState::wake(const NodeChange& change, std::string_view but) {
  if (change.what.intersects(kPlace)) refused_signatures.note_relief();
  waiting.queue().wake(change.node, change.what, now.since_start, but);
}

void ReactorState::doubt_marks_for(const Waiting& pod) {
  marks.doubt_for(pod.uid);
  if (!pod.gang_uid.empty()) marks.doubt_for(pod.gang_uid);
}

bool ReactorState::is_clearing_mark_of(std::string_view key) const {
  const VictimMark* mark = marks.find(key);
  return (mark != nullptr && mark->is_clearing) || outbox.clears_mark_of(key);
}

}  // namespace elbowroom::scheduler
