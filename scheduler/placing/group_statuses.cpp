#include "scheduler/placing/group_statuses.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"

namespace elbowroom::scheduler {
namespace {

bool says_the_same(const policy::Condition& a, const policy::Condition& b) {
  return a.status == b.status && a.reason == b.reason && a.message == b.message;
}

}  // namespace

bool GroupStatuses::sends(const std::string& uid, const policy::Condition& condition,
                          const policy::Condition* shown) {
  const policy::Condition* last = sent(uid, condition.type);
  if (last == nullptr) last = shown;
  if (last != nullptr && says_the_same(*last, condition)) return false;
  statuses_[uid].sent.insert_or_assign(condition.type, condition);
  return true;
}

GroupStatuses::Time GroupStatuses::not_written(const std::string& uid, std::string_view type,
                                               Time wish, Time now) {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return now;  // the group is gone
  const auto at = status->second.sent.find(type);
  if (at != status->second.sent.end()) status->second.sent.erase(at);
  Pause& pause = status->second.pauses[std::string(type)];
  pause.until = now + std::max(backoff_delay(kFirstPause, kLongestPause, pause.failures++), wish);
  return pause.until;
}

void GroupStatuses::written(std::string_view uid, std::string_view type) {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return;
  const auto at = status->second.pauses.find(type);
  if (at != status->second.pauses.end()) status->second.pauses.erase(at);
}

std::optional<GroupStatuses::Time> GroupStatuses::paused_until(std::string_view uid,
                                                               std::string_view type,
                                                               Time now) const {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return std::nullopt;
  const auto at = status->second.pauses.find(type);
  if (at == status->second.pauses.end() || at->second.until <= now) return std::nullopt;
  return at->second.until;
}

const policy::Condition* GroupStatuses::sent(std::string_view uid, std::string_view type) const {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return nullptr;
  const auto at = status->second.sent.find(type);
  return at == status->second.sent.end() ? nullptr : &at->second;
}

bool GroupStatuses::says(const std::string& uid, const std::string& text) {
  std::string& said = statuses_[uid].said;
  if (said == text) return false;
  said = text;
  return true;
}

bool GroupStatuses::tells_of_mode(const std::string& uid) {
  return !std::exchange(statuses_[uid].is_mode_told, true);
}

bool GroupStatuses::tells_of_priorities(const std::string& uid) {
  return !std::exchange(statuses_[uid].are_priorities_told, true);
}

void GroupStatuses::forget(std::string_view uid) {
  const auto status = statuses_.find(uid);
  if (status != statuses_.end()) statuses_.erase(status);
}

}  // namespace elbowroom::scheduler
