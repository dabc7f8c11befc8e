// The rescheduler of a scenario: its reactor on a world without latency. It is the leader, without
// a Lease.
#pragma once

#include <cstdint>
#include <optional>

#include "api/transport/http.h"
#include "base/result.h"
#include "lab/virtual/instant_program.h"
#include "lab/virtual/virtual_clock.h"
#include "lab/world/world.h"
#include "rescheduler/effect.h"
#include "rescheduler/observation.h"
#include "rescheduler/reactor.h"

namespace elbowroom::cli {

class InstantRescheduler : public lab::InstantProgram {
 public:
  // `world`, `clock` and `writes`, by which it counts its changes of the world, must outlive it.
  InstantRescheduler(lab::World& world, const lab::VirtualClock& clock, std::uint64_t& writes);

  bool settle() override;
  [[nodiscard]] std::optional<lab::VirtualClock::Steady::time_point> next_due() const override;

 private:
  using Seen = decltype(rescheduler::Observation::what);

  void look();
  template <class T, class Decode>
  void list(const lab::Kind& kind, Decode decode);
  void handle(Seen seen);
  [[nodiscard]] Result<void> write(const rescheduler::WriteBudget& write);
  [[nodiscard]] Result<void> write(const rescheduler::ReportOdd& odd);
  [[nodiscard]] Result<void> write(const rescheduler::DropAvoided& drop);
  [[nodiscard]] Result<void> patch(const lab::Target& target, const api::Request& request);
  [[nodiscard]] rescheduler::Moment moment() const;

  lab::World& world_;
  const lab::VirtualClock& clock_;
  std::uint64_t& writes_;
  const lab::VirtualClock::Steady::time_point started_;
  rescheduler::Reactor reactor_;
  std::optional<std::uint64_t> version_{};  // of the world, at the last look
};

}  // namespace elbowroom::cli
