#include "control/leadership.h"

#include <utility>

namespace elbowroom::control {
namespace {

// A hand-over takes a second at most; the rest of it is for the Lease.
constexpr Leadership::Time kAnsweredWithin{600};
constexpr Leadership::Time kGivenUpWithin{200};

// Without a Lease nothing is fenced.
constexpr Leadership::Time kUnfenced = std::chrono::minutes(1);

}  // namespace

void Leadership::saw(const std::optional<api::Lease>& lease, Time now) {
  // Another process was able to write it.
  if (lease && !lease->holder.empty()) unwritten_.clear();
  elector_.saw(lease, now);
}

void Leadership::written(const std::optional<api::Lease>& lease, Time now) {
  unwritten_.clear();
  if (lease) {
    elector_.written(*lease);
  } else {
    elector_.failed(true, now);
  }
}

void Leadership::failed(const Error& error, Time now) {
  const bool is_conflict = error.code == Code::Conflict;
  unwritten_ = is_conflict ? "" : error.message;
  elector_.failed(is_conflict, now);
}

void Leadership::stop(Time now) {
  if (is_stopping()) return;
  phase_ = Phase::Draining;
  drained_by_ = now + kAnsweredWithin;
}

// The Lease is given back at once so that the next process leads, but never while a write is under
// way. A write that is not answered is given up first: its victim is marked, so the next leader
// decides about it (docs/decisions/0025).
Leadership::Turn Leadership::advance(bool is_writing, const Moment& now) {
  if (!is_stopping()) {
    const bool led = phase_ == Phase::Leading;
    if (leads(now.since_start) == led) return Turn::None;
    phase_ = led ? Phase::Following : Phase::Leading;
    if (!led) ++number_;
    return led ? Turn::Ends : Turn::Begins;
  }
  if (!by_lease_ || phase_ == Phase::Released || phase_ == Phase::Expiring) return Turn::None;
  if (!is_writing || !elector_.leads(now.since_start)) {
    phase_ = Phase::Released;
    const Time until = elector_.fence();
    if (auto lease = elector_.release(now.since_start, now.wall)) {
      give_back_ = {.lease = *std::move(lease), .not_after = until};
    }
    return Turn::None;
  }
  if (now.since_start < drained_by_) return Turn::None;
  const bool was_cut_off = phase_ == Phase::CuttingOff;
  phase_ = was_cut_off ? Phase::Expiring : Phase::CuttingOff;
  drained_by_ = now.since_start + kGivenUpWithin;
  return was_cut_off ? Turn::None : Turn::CutsOff;
}

std::optional<Leadership::LeaseToWrite> Leadership::take_write(const Moment& now) {
  if (!by_lease_ || (is_stopping() && phase_ != Phase::Released)) return std::nullopt;
  if (give_back_) return std::exchange(give_back_, std::nullopt);
  auto lease = elector_.step(now.since_start, now.wall);
  if (!lease) return std::nullopt;
  return LeaseToWrite{.lease = *std::move(lease), .not_after = now.since_start + answered_within_};
}

std::optional<Leadership::Time> Leadership::next(Time now) const {
  if (!by_lease_ || phase_ == Phase::Expiring) return std::nullopt;
  const bool is_drained = !is_stopping() || phase_ == Phase::Released;
  return is_drained ? elector_.next(now) : drained_by_;
}

bool Leadership::leads(Time now) const {
  if (is_stopping()) return false;
  return !by_lease_ || elector_.leads(now);
}

Leadership::Time Leadership::fence(Time now) const {
  return by_lease_ ? elector_.fence() : now + kUnfenced;
}

bool Leadership::is_handed_over(Time now) const {
  if (!is_stopping()) return false;
  return !by_lease_ || phase_ == Phase::Expiring || elector_.is_released(now);
}

std::string Leadership::trouble(Time now) const {
  if (!by_lease_ || leads(now)) return "";
  if (!unseen_.empty()) return "the Lease is not followed: " + unseen_;
  if (!unwritten_.empty()) return "the Lease cannot be written: " + unwritten_;
  return "";
}

}  // namespace elbowroom::control
