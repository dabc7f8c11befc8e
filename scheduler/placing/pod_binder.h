// Binds pending pods to nodes. A bound pod holds its room from the moment the binding is sent. A
// binding whose outcome is not known keeps that room, and is sent again as long as the node still
// admits the pod. A pod with unbound claims holds its room too while its volumes are bound
// (placing/volume_bindings.h); only then is the binding sent, and only if the node still admits it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "scheduler/cluster_follower.h"
#include "scheduler/in_flight.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

class PodBinder {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must live as long.
  PodBinder(ReactorState& state, ClusterFollower& follower, Turns& turns)
      : state_(state), follower_(follower), turns_(turns) {}

  void bind(const std::string& key, Waiting& pod, const policy::Pod& seen, const std::string& node);
  // The pod's turn, if it is being bound: the binding is sent again, waited for, or taken back.
  // False: it is not being bound.
  [[nodiscard]] bool judge(const std::string& key, const Waiting& pod);
  // A victim that only waits for its volumes is on no node: its room is given back, it is judged
  // again after a backoff, and nothing is removed. False: it waits for none. `preemptor`: for
  // people. Source: kube-scheduler preemption/executor.go, which rejects a waiting pod (1.37).
  [[nodiscard]] bool gives_way(const policy::Pod& victim, std::string_view preemptor);

  // The answer to a binding.
  void bound(const PodBinding& what);
  void not_bound(const PodBinding& what, const Error& error);
  // A write of one of its volumes was refused, or its outcome is not known.
  void volume_not_written(const VolumeWrite& what, const Error& error);

 private:
  [[nodiscard]] bool begins_volumes(const std::string& key, const policy::Pod& seen,
                                    const std::string& node);
  void write_volumes(const VolumeWrite& whose, const std::string& node,
                     const policy::VolumePlan& plan);
  void wait_for_volumes(const std::string& key, const std::string& node);
  [[nodiscard]] bool has_volumes(const std::string& key, const Waiting& pod,
                                 const std::string& node);
  void give_volumes_up(std::string key, std::string uid, const std::string& node,
                       const std::string& why);
  void send(const Victim& pod, const std::string& key, const std::string& node);
  [[nodiscard]] bool binds_again(const std::string& key, const Waiting& pod,
                                 const std::string& node);
  [[nodiscard]] bool is_to_go(const std::string& key, const std::string& uid,
                              const std::string& node) const;
  [[nodiscard]] bool still_takes(const std::string& key, const std::string& node);
  [[nodiscard]] bool takes_without(const std::vector<policy::Pod>& others, policy::Pod pod,
                                   const std::string& node);
  [[nodiscard]] std::vector<policy::Pod> nominated_on(const std::string& node);
  [[nodiscard]] std::vector<policy::Pod> leaving_from(const std::string& node);
  [[nodiscard]] std::vector<policy::Pod> perhaps_on(const std::string& node,
                                                    const std::string& but);
  void unbind(const std::string& key);

  ReactorState& state_;
  ClusterFollower& follower_;
  Turns& turns_;
};

}  // namespace elbowroom::scheduler
