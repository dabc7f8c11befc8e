// Which replica leads, by a Lease. The fence is on our own monotonic clock and counts from before
// the renewal was sent, so a leader stops at least 5 s before another replica may begin, whatever
// the clocks on the wall do.
//
//   follows --lease free, or unchanged for its duration--> writes --Done--> leads
//      ^                                                                     |
//      +------ another holder, fence passed, released <----------------------+
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "api/write/lease.h"
#include "policy/model/time.h"

namespace elbowroom::control {

struct ElectorOptions {
  std::string identity{};  // unique for each process
  std::chrono::milliseconds duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

// By when a write of the Lease that was begun at `sent` is to be answered.
[[nodiscard]] constexpr std::chrono::milliseconds answered_by(std::chrono::milliseconds sent,
                                                              std::chrono::milliseconds deadline) {
  return sent + deadline / 2;
}

// Source: client-go tools/leaderelection (algorithm and times).
class Elector {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  explicit Elector(ElectorOptions options) : options_(std::move(options)) {}

  // The Lease as the API server has it; none: there is none.
  void saw(const std::optional<api::Lease>& lease, Time now);

  // What is to be written now, if anything; answered by written() or failed() before the next.
  [[nodiscard]] std::optional<api::Lease> step(Time now, policy::Time wall);
  void written(const api::Lease& lease);
  void failed(bool conflict, Time now);

  // Gives the Lease back: it leads no more, and step() writes nothing but that, now or when a
  // renewal that is in flight has ended.
  [[nodiscard]] std::optional<api::Lease> release(Time now, policy::Time wall);
  // It was given back, or is not ours to give back any more.
  [[nodiscard]] bool is_released(Time now) const;

  [[nodiscard]] bool leads(Time now) const { return leading_ && now < fence_; }
  // By when everything written under the lease must have ended.
  [[nodiscard]] Time fence() const { return fence_; }
  // When step() may have something to write, or leads() may change.
  [[nodiscard]] std::optional<Time> next(Time now) const;

  [[nodiscard]] const std::string& holder() const;
  // We lead, and no other replica has held this Lease before us.
  [[nodiscard]] bool is_first() const { return is_mine() && seen_->transitions == 0; }
  [[nodiscard]] bool is_writing() const { return writing_; }

 private:
  [[nodiscard]] bool is_mine() const { return seen_ && seen_->holder == options_.identity; }
  [[nodiscard]] Time free_at() const;
  void note(const std::optional<api::Lease>& lease, Time now);
  [[nodiscard]] std::optional<api::Lease> give_back(Time now, policy::Time wall);

  const ElectorOptions options_;
  bool synced_ = false;
  std::optional<api::Lease> seen_{};
  Time seen_at_{0};           // first seen with this content
  bool held_before_ = false;  // by another replica, before it was taken away
  bool writing_ = false;
  bool released_ = false;
  std::string given_back_at_{};  // the version that the giving back was written over
  bool is_giving_back_ = false;
  bool gave_up_ = false;  // the giving back failed
  Time sent_at_{0};
  Time try_at_{0};
  bool leading_ = false;
  Time fence_{0};
};

}  // namespace elbowroom::control
