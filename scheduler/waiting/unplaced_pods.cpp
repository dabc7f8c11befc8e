#include "scheduler/waiting/unplaced_pods.h"

#include <algorithm>
#include <utility>

namespace elbowroom::scheduler {

const UnplacedPods::Answer* UnplacedPods::find(const std::string& signature, Time now) const {
  const auto known = groups_.find(signature);
  if (known == groups_.end() || !known->second.is_answer) return nullptr;
  const Answer& answer = known->second.answer;
  return answer.until && now >= *answer.until ? nullptr : &answer;
}

void UnplacedPods::add(const std::string& signature, policy::Want want, policy::PodText message) {
  if (groups_.size() >= kMost && !groups_.contains(signature)) {
    std::erase_if(groups_, [](const auto& each) { return each.second.parked.empty(); });
  }
  Group& group = groups_[signature];
  group.want = std::move(want);
  group.answer = {.message = std::move(message)};
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

UnplacedPods::Helped UnplacedPods::follow(const policy::ClusterRoom& room,
                                          const policy::RoomChange& change, Time now) {
  Helped made{.later_by = now + kToldAgainAfter};
  if (groups_.empty() || change.brings.empty()) return made;
  const policy::ReliefOf relief(room, change);
  const auto append = [](std::vector<std::string>& to, const Group& group) {
    to.insert(to.end(), group.parked.begin(), group.parked.end());
  };
  for (auto at = groups_.begin(); at != groups_.end();) {
    Group& group = at->second;
    if (relief.helps(group.want)) {
      append(made.now, group);
      at = groups_.erase(at);
      continue;
    }
    policy::note(group.want, change);
    if (!group.answer.until) {
      group.answer.until = made.later_by;
      append(made.later, group);
    }
    ++at;
  }
  std::ranges::sort(made.now);
  std::ranges::sort(made.later);
  return made;
}

}  // namespace elbowroom::scheduler
