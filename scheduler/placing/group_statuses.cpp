#include "scheduler/placing/group_statuses.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/backoff.h"

namespace elbowroom::scheduler {
namespace {

bool says_the_same(const policy::Condition& a, const policy::Condition& b) {
  return a.status == b.status && a.reason == b.reason && a.message == b.message;
}

// The group says it already, or another replica wrote the same status later.
bool is_moot(const policy::Condition& owed, const policy::Condition* shown) {
  if (shown == nullptr || shown->status != owed.status) return false;
  if (!shown->last_transition || !owed.last_transition) return says_the_same(owed, *shown);
  // The API server keeps whole seconds.
  const auto is_at = std::chrono::floor<std::chrono::seconds>(*shown->last_transition);
  const auto owed_at = std::chrono::floor<std::chrono::seconds>(*owed.last_transition);
  return is_at > owed_at || (is_at == owed_at && says_the_same(owed, *shown));
}

}  // namespace

bool GroupStatuses::wants(const std::string& uid, const policy::Condition& condition,
                          const policy::Condition* shown, bool begins_again, Time now) {
  const policy::Condition* last = latest(uid, condition.type);
  if (last == nullptr) last = shown;
  if (!begins_again && last != nullptr && says_the_same(*last, condition)) return false;
  Wanted& wanted = statuses_[uid].wanted[condition.type];
  wanted.latest = condition;
  wanted.is_owed = now < wanted.paused_until;
  return !wanted.is_owed;
}

void GroupStatuses::not_written(std::string_view uid, std::string_view type, Time wish, Time now) {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return;  // the group is gone
  const auto at = status->second.wanted.find(type);
  if (at == status->second.wanted.end()) return;
  Wanted& wanted = at->second;
  wanted.is_owed = true;
  wanted.paused_until =
      now + std::max(backoff_delay(kFirstPause, kLongestPause, wanted.failures++), wish);
}

void GroupStatuses::written(std::string_view uid, std::string_view type) {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return;
  const auto at = status->second.wanted.find(type);
  if (at == status->second.wanted.end()) return;
  at->second.paused_until = Time{0};
  at->second.failures = 0;
}

std::vector<policy::Condition> GroupStatuses::take_owed(std::string_view uid,
                                                        const policy::Conditions& shown, Time now) {
  std::vector<policy::Condition> owed;
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return owed;
  for (auto& [type, wanted] : status->second.wanted) {
    if (!wanted.is_owed || now < wanted.paused_until) continue;
    wanted.is_owed = false;
    const policy::Condition* is = policy::find_condition(shown, type);
    if (is_moot(wanted.latest, is)) {
      wanted.latest = *is;
    } else {
      owed.push_back(wanted.latest);
    }
  }
  return owed;
}

void GroupStatuses::withdraw(std::string_view uid, std::string_view type, std::string_view status) {
  const auto known = statuses_.find(uid);
  if (known == statuses_.end()) return;
  const auto at = known->second.wanted.find(type);
  const bool is_owed = at != known->second.wanted.end() && at->second.is_owed;
  if (is_owed && at->second.latest.status == status) known->second.wanted.erase(at);
}

std::optional<GroupStatuses::Time> GroupStatuses::next_owed(std::string_view uid) const {
  std::optional<Time> next;
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return next;
  for (const auto& [type, wanted] : status->second.wanted) {
    if (wanted.is_owed) next = std::min(next.value_or(wanted.paused_until), wanted.paused_until);
  }
  return next;
}

const policy::Condition* GroupStatuses::latest(std::string_view uid, std::string_view type) const {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return nullptr;
  const auto at = status->second.wanted.find(type);
  return at == status->second.wanted.end() ? nullptr : &at->second.latest;
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
