#include "scheduler/waiting/unplaced_pods.h"

#include <algorithm>
#include <utility>

namespace elbowroom::scheduler {

const policy::PodText* UnplacedPods::find(const std::string& signature) const {
  const auto known = groups_.find(signature);
  return known == groups_.end() || !known->second.is_answer ? nullptr : &known->second.message;
}

void UnplacedPods::add(const std::string& signature, policy::Want want, policy::PodText message) {
  if (groups_.size() >= kMost && !groups_.contains(signature)) {
    std::erase_if(groups_, [](const auto& each) { return each.second.parked.empty(); });
  }
  Group& group = groups_[signature];
  group.want = std::move(want);
  group.message = std::move(message);
  group.is_answer = true;
}

void UnplacedPods::forget_answers() {
  for (auto& [signature, group] : groups_) group.is_answer = false;
}

bool UnplacedPods::park(const std::string& signature, const std::string& id) {
  const auto known = groups_.find(signature);
  if (known == groups_.end()) return false;
  known->second.parked.insert(id);
  return true;
}

void UnplacedPods::leave(const std::string& signature, std::string_view id) {
  const auto known = groups_.find(signature);
  if (known == groups_.end()) return;
  const auto at = known->second.parked.find(id);
  if (at != known->second.parked.end()) known->second.parked.erase(at);
}

std::vector<std::string> UnplacedPods::helped_by(const policy::ClusterRoom& room,
                                                 const policy::RoomChange& change) {
  std::vector<std::string> helped;
  if (groups_.empty() || change.brings.empty()) return helped;
  const policy::ReliefOf relief(room, change);
  for (auto at = groups_.begin(); at != groups_.end();) {
    Group& group = at->second;
    if (!relief.helps(group.want)) {
      policy::note(group.want, change);
      ++at;
      continue;
    }
    helped.insert(helped.end(), group.parked.begin(), group.parked.end());
    at = groups_.erase(at);
  }
  std::ranges::sort(helped);
  return helped;
}

}  // namespace elbowroom::scheduler
