// What is written in the status of a pending pod, and reported of it: why it is not placed
// (condition PodScheduled and an event, once for each change) and the node that it is nominated to.
// A write that failed is repeated with the pod's next turn.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/condition.h"
#include "scheduler/in_flight.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

class PendingReports {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must live as long.
  PendingReports(const ReactorOptions& options, ReactorState& state, Turns& turns)
      : options_(options), state_(state), turns_(turns) {}

  // The pod is not placed, for that reason. `nominated`: where that changes ("": no longer).
  void tell_unplaced(const std::string& key, Waiting& pod, const policy::Pod& seen,
                     std::string_view reason, const policy::PodText& message,
                     std::optional<std::string> nominated);
  void write(const Victim& pod, std::optional<policy::Condition> scheduled,
             std::optional<std::string> nominated);

  // The answer to a write.
  void written(const PendingWrite& what);
  void not_written(const PendingWrite& what, const Error& error);

 private:
  void send(WritePending write);
  void still_to_write(const std::string& key, const std::string& uid,
                      const std::optional<std::string>& nominated);

  const ReactorOptions& options_;
  ReactorState& state_;
  Turns& turns_;
};

inline constexpr std::string_view kUnschedulable = "Unschedulable";
inline constexpr std::string_view kSchedulingGated = "SchedulingGated";

}  // namespace elbowroom::scheduler
