// The rest of a pod group that goes whole. Once one of its pods was removed for a preemptor, those
// that are marked for it follow until they are gone or the API server refuses, also where the
// preemptor needs no room any more: a part of such a group is of no use to its owner.
#pragma once

#include <string>

#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

class GroupRest {
 public:
  // Must live as long.
  explicit GroupRest(ReactorState& state) : state_(state) {}

  // The removal of that marked pod's group has begun: another of its pods is terminating for the
  // same preemptor, or the group's condition DisruptionTarget, since the pod was created, names it.
  [[nodiscard]] bool has_begun(const VictimMark& mark, const policy::Pod& pod) const;
  // Deletes the pod. No removal waits for the answer (RemovalStep::removal is 0).
  void follow(const std::string& key, const policy::Pod& pod);

 private:
  ReactorState& state_;
};

// The pod that such a step deletes; nullptr: a removal waits for its answer.
[[nodiscard]] const Victim* left_of_group(const RemovalStep& step);

// Names the preemptor of a group in the group's condition, so that it is found again.
[[nodiscard]] std::string group_mark_text(const std::string& preemptor_uid, bool is_group);

}  // namespace elbowroom::scheduler
