// Whether this process leads, from its first look at the Lease until it has handed the Lease over.
// Only the leader writes, and only what ends before the fence, so no two processes ever write at
// the same time.
//
//      Following <--- the Lease is ours, or another's ---> Leading
//          |                                                  |
//          '------------------ stop(), for good --------------'
//                                  |
//                                  v
//                              Draining: writes under way are waited for
//                               |     |
//             all are answered  |     | one is not: 600 ms
//                               |     v
//                               |  CuttingOff: they are given up
//                               |     |     |
//                               v     v     | even that is not answered: 200 ms
//        the Lease is given back: Released  v
//                                        Expiring: the Lease runs out
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "api/write/lease.h"
#include "base/result.h"
#include "control/elector.h"
#include "control/observation.h"
#include "policy/model/time.h"

namespace elbowroom::control {

class Leadership {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  enum class Phase : std::uint8_t { Following, Leading, Draining, CuttingOff, Released, Expiring };

  // What a look at the clock changed.
  enum class Turn : std::uint8_t { None, Begins, Ends, CutsOff };

  // A write of the Lease, which must have ended by `not_after`.
  struct LeaseToWrite {
    api::Lease lease{};
    Time not_after{0};
  };

  // Without `by_lease` the process leads from its first moment, and nothing is fenced.
  Leadership(bool by_lease, control::ElectorOptions options)
      : by_lease_(by_lease),
        answered_within_(control::answered_by(Time(0), options.renew_deadline)),
        elector_(std::move(options)) {}

  // The Lease as the API server has it; why it cannot be followed ("": it can).
  void saw(const std::optional<api::Lease>& lease, Time now);
  void cannot_see(std::string why) { unseen_ = std::move(why); }

  // The answer to a write of the Lease.
  void written(const std::optional<api::Lease>& lease, Time now);
  void failed(const Error& error, Time now);

  // The process is to end: from now on it leads no more.
  void stop(Time now);

  // To be asked once after every observation, and then for the Lease. `is_writing`: some write that
  // changes a pod was not answered yet; it matters while the process stops.
  [[nodiscard]] Turn advance(bool is_writing, const Moment& now);
  [[nodiscard]] std::optional<LeaseToWrite> take_write(const Moment& now);
  // When one of the two may have something to say; none: not by time alone.
  [[nodiscard]] std::optional<Time> next(Time now) const;

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool is_stopping() const { return phase_ >= Phase::Draining; }
  [[nodiscard]] bool leads(Time now) const;
  // By when everything that is written now must have ended.
  [[nodiscard]] Time fence(Time now) const;
  // How many times it began to lead.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // No process that this one knows of has led before.
  [[nodiscard]] bool is_first() const { return !by_lease_ || elector_.is_first(); }
  // The Lease was given back, or is left to run out, or there was none: the process may end.
  [[nodiscard]] bool is_handed_over(Time now) const;

  // The holder of the Lease; "": the Lease has no holder.
  [[nodiscard]] const std::string& holder() const { return elector_.holder(); }
  // Why the process could not lead although no other one does; "" where it can, or leads.
  [[nodiscard]] std::string trouble(Time now) const;

 private:
  bool by_lease_;
  Time answered_within_;
  control::Elector elector_;
  Phase phase_ = Phase::Following;
  std::uint64_t number_ = 0;
  Time drained_by_{0};                       // Draining, CuttingOff: when the next phase begins
  std::optional<LeaseToWrite> give_back_{};  // not sent yet
  std::string unseen_{};
  std::string unwritten_{};  // why the last write of the Lease failed
};

}  // namespace elbowroom::control
