#include "scheduler/placing/group_statuses.h"

#include <utility>

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

void GroupStatuses::not_written(const std::string& uid, std::string_view type) {
  const auto status = statuses_.find(uid);
  if (status == statuses_.end()) return;
  const auto at = status->second.sent.find(type);
  if (at != status->second.sent.end()) status->second.sent.erase(at);
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

void GroupStatuses::forget(std::string_view uid) {
  const auto status = statuses_.find(uid);
  if (status != statuses_.end()) statuses_.erase(status);
}

void GroupStatuses::look_by(const std::string& key, Time at) { due_.set(key, at); }

}  // namespace elbowroom::scheduler
