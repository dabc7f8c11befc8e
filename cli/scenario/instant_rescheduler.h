// The rescheduler of a scenario: its reactor on a world without latency, with the daemon's own
// writes. It is the leader, without a Lease, and nothing was moved before.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "control/effect.h"
#include "lab/apiserver/api_service.h"
#include "lab/virtual/instant_program.h"
#include "lab/virtual/virtual_clock.h"
#include "lab/world/world.h"
#include "rescheduler/effect.h"
#include "rescheduler/observation.h"
#include "rescheduler/reactor.h"
#include "rescheduler/wire.h"

namespace elbowroom::cli {

class InstantRescheduler : public lab::InstantProgram {
 public:
  using Told = std::function<void(const control::EmitEvent&)>;

  // What it writes through. All must outlive it.
  struct Cluster {
    lab::World& world;
    lab::ApiService& service;
    const lab::VirtualClock& clock;
  };

  // `writes` counts its changes of the world but evictions; `told` gets its events, which are not
  // written.
  InstantRescheduler(Cluster cluster, std::uint64_t& writes, Told told);

  bool settle() override;
  [[nodiscard]] std::optional<lab::VirtualClock::Steady::time_point> next_due() const override;

 private:
  using Seen = decltype(rescheduler::Observation::what);

  void look();
  template <class T, class Decode>
  void list(const lab::Kind& kind, Decode decode);
  template <rescheduler::Collection kOf>
  void list_owners();
  template <rescheduler::Collection kOf>
  void list_config();
  void handle(Seen seen);
  void perform(const rescheduler::Effect& effect);
  [[nodiscard]] rescheduler::Moment moment() const;

  lab::World& world_;
  const lab::VirtualClock& clock_;
  std::uint64_t& writes_;
  Told told_;
  const lab::VirtualClock::Steady::time_point started_;
  rescheduler::Reactor reactor_;
  std::deque<Seen> inbox_{};
  bool is_answered_ = false;
  rescheduler::Wire::Line line_;
  rescheduler::Wire wire_;
  std::optional<std::uint64_t> version_{};  // of the world, at the last look
};

}  // namespace elbowroom::cli
