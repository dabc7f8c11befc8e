#include "control/elector.h"

#include <algorithm>
#include <utility>

namespace elbowroom::control {

void Elector::note(const std::optional<api::Lease>& lease, Time now) {
  if (!synced_ || seen_ != lease) seen_at_ = now;
  // A replica that held a Lease which was taken away may not know it yet.
  if (seen_ && !lease) held_before_ = !seen_->holder.empty() && !is_mine();
  synced_ = true;
  seen_ = lease;
}

void Elector::saw(const std::optional<api::Lease>& lease, Time now) {
  // Our own write may be seen before its answer and after the next one was sent: an older state of
  // our own lease says nothing.
  note(lease, now);
  if (leading_ && !is_mine()) leading_ = false;
}

// When another replica's Lease counts as given up: at once, or unchanged for its whole duration.
Elector::Time Elector::free_at() const {
  if (!seen_ && held_before_) return seen_at_ + options_.duration;
  if (!seen_ || seen_->holder.empty()) return seen_at_;
  const Time duration = std::max(Time(seen_->duration_seconds * 1000), options_.duration);
  return seen_at_ + duration;
}

std::optional<api::Lease> Elector::step(Time now, policy::Time wall) {
  if (leading_ && now >= fence_) leading_ = false;
  if (!synced_ || writing_) return std::nullopt;
  if (released_) return give_back(now, wall);
  if (now < try_at_) return std::nullopt;
  if (!is_mine() && now < free_at()) return std::nullopt;

  api::Lease lease = seen_.value_or(api::Lease{});
  if (!is_mine()) {
    lease.acquired = wall;
    lease.transitions += seen_ ? 1 : 0;
  }
  lease.holder = options_.identity;
  lease.duration_seconds =
      std::chrono::duration_cast<std::chrono::seconds>(options_.duration).count();
  lease.renewed = wall;
  writing_ = true;
  sent_at_ = now;
  try_at_ = now + options_.retry_period;
  return lease;
}

void Elector::written(const api::Lease& lease) {
  writing_ = is_giving_back_ = false;
  note(lease, sent_at_);
  if (!is_mine()) return;
  leading_ = !released_;
  fence_ = sent_at_ + options_.renew_deadline;
}

void Elector::failed(bool conflict, Time now) {
  writing_ = false;
  // Another replica was faster, or an answer of ours was lost: the watch tells which.
  try_at_ = now + (conflict ? options_.retry_period / 4 : options_.retry_period / 2);
  if (std::exchange(is_giving_back_, false) && !conflict) gave_up_ = true;
}

std::optional<api::Lease> Elector::release(Time now, policy::Time wall) {
  released_ = true;
  leading_ = false;
  return step(now, wall);
}

bool Elector::is_released(Time now) const {
  return released_ && !writing_ && (gave_up_ || !is_mine() || now >= fence_);
}

// Once over each version: after a conflict the watch shows the version that a renewal has made.
std::optional<api::Lease> Elector::give_back(Time now, policy::Time wall) {
  if (gave_up_ || !is_mine() || now >= fence_) return std::nullopt;
  if (seen_->resource_version == given_back_at_) return std::nullopt;
  api::Lease lease = *seen_;
  given_back_at_ = lease.resource_version;
  lease.holder.clear();
  lease.duration_seconds = 1;
  lease.acquired = lease.renewed = wall;
  writing_ = is_giving_back_ = true;
  sent_at_ = now;
  return lease;
}

std::optional<Elector::Time> Elector::next(Time now) const {
  if (!synced_ || released_) return std::nullopt;
  Time at = is_mine() ? try_at_ : std::max(try_at_, free_at());
  if (writing_) at = Time::max();
  if (leading_) at = std::min(at, fence_);
  if (at == Time::max()) return std::nullopt;
  return std::max(at, now);
}

const std::string& Elector::holder() const {
  static const std::string nobody;
  return seen_ ? seen_->holder : nobody;
}

}  // namespace elbowroom::control
