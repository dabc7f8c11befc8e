// The nodes that pending pods are nominated to, so that the room that is being made for them is not
// given to another pod. A nomination is assumed until the watch shows it.
#pragma once

#include <string>

#include "policy/model/pod.h"
#include "scheduler/cluster_follower.h"
#include "scheduler/placing/pending_reports.h"
#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

class Nominations {
 public:
  // All must live as long.
  Nominations(ReactorState& state, ClusterFollower& follower, PendingReports& reports)
      : state_(state), follower_(follower), reports_(reports) {}

  // The pod counts as nominated to that node from now on; "": to none. That wakes others, but not
  // the pod itself, or its gang.
  void assume(const policy::Pod& pod, const std::string& node);
  // What was assumed of that pod's nomination is void.
  void take_back(const std::string& key);
  // The same for the pod, or all members of the gang.
  void take_back(const Preemptor& preemptor);
  // The room of a less important pod is given to another pod. A nomination to another node is kept.
  void end(const std::string& key, const std::string& node);

 private:
  ReactorState& state_;
  ClusterFollower& follower_;
  PendingReports& reports_;
};

}  // namespace elbowroom::scheduler
