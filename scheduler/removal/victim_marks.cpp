#include "scheduler/removal/victim_marks.h"

#include <utility>

#include "policy/model/condition.h"
#include "scheduler/removal/set_removal.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

// The mark of a scheduler of ours on a pod that is not terminating yet.
std::optional<policy::RemovalMark> pending_mark(const Pod* pod) {
  if (pod == nullptr || pod->node.empty() || policy::is_terminating(*pod)) return std::nullopt;
  const policy::Condition* target =
      policy::find_condition(pod->conditions, policy::kDisruptionTarget);
  if (target == nullptr || target->reason != policy::kReasonPreemptionByScheduler) {
    return std::nullopt;
  }
  return policy::removal_mark(*pod);
}

}  // namespace

void VictimMarks::saw(const Pod* before, const Pod* after) {
  const bool is_another = before != nullptr && (after == nullptr || after->uid != before->uid);
  if (is_another) taken_back_.erase(before->uid);
  const auto mark = pending_mark(after);
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  const auto known = marks_.find(key);
  const bool is_elsewhere = known != marks_.end() && (!mark || known->second.node != after->node);
  if (is_elsewhere) {
    unlist(key, known->second);
    due_.forget(key);
    marks_.erase(known);
  }
  if (!mark) return;
  VictimMark& seen = marks_[key];
  seen.goes_with_others = counted_uid(*after) != after->uid;
  if (seen.mark == *mark && seen.uid == after->uid && seen.node == after->node) return;
  unlist(key, seen);
  by_node_[after->node].insert(key);
  by_preemptor_[mark->uid].insert(key);
  seen = {.mark = *mark,
          .uid = after->uid,
          .node = after->node,
          .goes_with_others = seen.goes_with_others};
}

void VictimMarks::unlist(const std::string& key, const VictimMark& mark) {
  const auto erase = [&](auto& index, const std::string& of) {
    const auto keys = index.find(of);
    if (keys == index.end()) return;
    keys->second.erase(key);
    if (keys->second.empty()) index.erase(keys);
  };
  erase(by_node_, mark.node);
  erase(by_preemptor_, mark.mark.uid);
}

const VictimMark* VictimMarks::find(std::string_view key) const {
  const auto at = marks_.find(key);
  return at == marks_.end() ? nullptr : &at->second;
}

void VictimMarks::doubt_on(const std::string& node) {
  if (by_node_.contains(node)) doubtful_.insert(node);
}

void VictimMarks::doubt_for(std::string_view preemptor_uid) {
  const auto keys = by_preemptor_.find(preemptor_uid);
  if (keys == by_preemptor_.end()) return;
  for (const std::string& key : keys->second) doubtful_.insert(marks_.find(key)->second.node);
}

void VictimMarks::doubt_all() {
  for (const auto& [node, keys] : by_node_) doubtful_.insert(node);
}

std::vector<std::string> VictimMarks::take_doubtful(Time now) {
  for (const std::string& key : due_.take_due(now)) doubtful_.insert(marks_.find(key)->second.node);
  std::vector<std::string> marked;
  for (const std::string& node : std::exchange(doubtful_, {})) {
    const auto keys = by_node_.find(node);
    if (keys != by_node_.end())
      marked.insert(marked.end(), keys->second.begin(), keys->second.end());
  }
  return marked;
}

void VictimMarks::clearing(std::string_view key) {
  if (const auto at = marks_.find(key); at != marks_.end()) at->second.is_clearing = true;
}

void VictimMarks::not_cleared(std::string_view key, Time not_before) {
  const auto at = marks_.find(key);
  if (at == marks_.end()) return;
  at->second.is_clearing = false;
  at->second.not_before = not_before;
  ++at->second.failures;
  due_.set(at->first, not_before);
}

}  // namespace elbowroom::scheduler
