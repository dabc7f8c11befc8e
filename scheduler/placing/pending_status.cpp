#include "scheduler/placing/pending_status.h"

#include <utility>

namespace elbowroom::scheduler {
namespace {

std::string number_of(std::string_view key, std::string_view uid) {
  return std::string(key) + "/" + std::string(uid);
}

std::string number_of(const Victim& pod) { return number_of(pod.ns + "/" + pod.name, pod.uid); }

}  // namespace

std::optional<WritePending> PendingStatus::add(WritePending write) {
  const auto [at, is_first] = under_way_.try_emplace(number_of(write.pod));
  if (is_first) return write;
  std::optional<WritePending>& waits = at->second;
  if (!waits) {
    waits = std::move(write);
    return std::nullopt;
  }
  if (write.scheduled) waits->scheduled = std::move(write.scheduled);
  if (write.nominated) waits->nominated = std::move(write.nominated);
  return std::nullopt;
}

std::optional<WritePending> PendingStatus::answered(const Victim& pod, bool goes_on) {
  const auto at = under_way_.find(number_of(pod));
  if (at == under_way_.end()) return std::nullopt;
  std::optional<WritePending> next = std::exchange(at->second, std::nullopt);
  if (!next || !goes_on) under_way_.erase(at);
  return next;
}

bool PendingStatus::is_under_way(std::string_view key, std::string_view uid) const {
  return !under_way_.empty() && under_way_.contains(number_of(key, uid));
}

}  // namespace elbowroom::scheduler
