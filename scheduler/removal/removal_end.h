// The end of a removal: its preemptor waits for the room, or backs off with an event that says why
// no pod was removed; and its nodes are free for the next removal.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "scheduler/placing/nominations.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

class RemovalEnd {
 public:
  // All must live as long.
  RemovalEnd(ReactorState& state, Turns& turns, Nominations& nominations)
      : state_(state), turns_(turns), nominations_(nominations) {}

  // Forgets the removal of that number, which has ended.
  void end(std::uint64_t number);

 private:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  void settle(const SetRemoval& set, Waiting& pod);
  void settle_refused(const SetRemoval& set, Waiting& pod, const policy::PodText& why);
  [[nodiscard]] bool have_left(const std::vector<policy::Pod>& pods) const;

  ReactorState& state_;
  Turns& turns_;
  Nominations& nominations_;
};

}  // namespace elbowroom::scheduler
