#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

bool ReactorState::may_act() const { return leads() && cluster.is_following(); }

void ReactorState::wake(const NodeChange& change, std::string_view but, const policy::Pod* before,
                        const policy::Pod* after) {
  Queue& queue = waiting.queue();
  queue.wake(change.node, change.what, now.since_start, but);
  if (!cluster.places()) return;
  policy::RoomChange in_room{.brings = brought_by(change),
                             .node = cluster.room().find_node(change.node),
                             .is_new_node = change.is_new_node,
                             .before = before,
                             .after = after};
  const auto wake_helped = [&] {
    const auto helped = queue.unplaced().follow(cluster.room(), in_room, now.since_start);
    for (const std::string& id : helped.now) {
      if (id != but) queue.wake_later(id, now.since_start);
    }
    for (const std::string& id : helped.later) queue.look_by(id, helped.later_by);
  };
  wake_helped();
  // Each refused pod is told how many nodes there are.
  const bool is_gone = !in_room.node && change.what.intersects(cluster::Change::Allocatable);
  if (!is_gone && !change.is_new_node) return;
  using policy::Relief;
  in_room = {.brings = Relief::Room | Relief::Node | Relief::Company | Relief::Budget};
  wake_helped();
}

void ReactorState::end_volumes_of(std::string_view key) {
  volume_waits.forget(key);
  volume_bindings.end(key, cluster.room().volumes());
}

void ReactorState::doubt_marks_for(const Waiting& pod) {
  marks.doubt_for(pod.uid);
  if (!pod.gang_uid.empty()) marks.doubt_for(pod.gang_uid);
}

std::string ReactorState::counted_node(std::string_view name) const {
  const policy::Node* node = cluster.snapshot().node(name);
  return node == nullptr || node->uid.empty() ? std::string(name) : node->uid;
}

bool ReactorState::is_clearing_mark_of(std::string_view key) const {
  const VictimMark* mark = marks.find(key);
  return (mark != nullptr && mark->is_clearing) || outbox.clears_mark_of(key);
}

}  // namespace elbowroom::scheduler
