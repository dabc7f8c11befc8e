// What is written in the status of a pod group, and said of it in events: whether its pods were
// placed, pods that say another priority than the group, and that the group is removed whole.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "policy/model/condition.h"
#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "scheduler/in_flight.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

class GroupReports {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must live as long.
  GroupReports(const ReactorOptions& options, ReactorState& state, Turns& turns)
      : options_(options), state_(state), turns_(turns) {}

  // The pods of the group of that name are not placed, for that reason. Nothing is taken back of a
  // group that was placed once.
  void tell_unplaced(std::string_view key, const policy::PodText& why);
  // Some pods of the group, which are ours, may say another priority than it: now, or soon, as a
  // group of many pods that wait one by one is looked at once for all.
  void look_at_priorities(std::string_view key);
  void look_at_priorities_soon(const std::string& key);
  // Its pods are placed one by one and removed as one: its owner is told of that once.
  void look_at_mode(std::string_view key);
  // A binding of that pod was accepted: its group may be placed by now.
  void bound(std::string_view pod);
  // The groups that are to be looked at again by now.
  void refresh_due();
  // The pods that were removed as one for that preemptor: their groups are told, once each.
  void removed(const std::vector<policy::Pod>& victims, const policy::PodText& purpose);
  // The API server did not let that pod of a group go, the others of which are removed.
  void tell_left(const policy::Pod& pod, const std::string& why);

  // The answer to a write.
  void written(const GroupWrite& what);
  void not_written(const GroupWrite& what, const Error& error);

 private:
  void refresh(const std::string& key);
  void end_disruption(const policy::PodGroup& group);
  void set(const policy::PodGroup& group, std::string_view type, std::string_view status,
           std::string_view reason, const std::string& message, bool begins_again = false);
  void send(const policy::PodGroup& group, const policy::Condition& condition);
  void send_owed(const policy::PodGroup& group);
  void look_when_owed(const std::string& key, std::string_view uid);
  void look_whether_placed(const policy::PodGroup& group);
  [[nodiscard]] bool is_placed(const policy::PodGroup& group) const;

  const ReactorOptions& options_;
  ReactorState& state_;
  Turns& turns_;
};

}  // namespace elbowroom::scheduler
