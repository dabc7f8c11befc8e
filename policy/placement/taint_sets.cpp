#include "policy/placement/taint_sets.h"

namespace elbowroom::policy {

std::uint32_t TaintSets::hold(const std::vector<Taint>& taints) {
  if (taints.empty()) return 0;
  if (const auto known = numbers_.find(taints); known != numbers_.end()) {
    ++nodes_[known->second];
    return known->second;
  }
  auto number = static_cast<std::uint32_t>(sets_.size());
  if (free_.empty()) {
    sets_.emplace_back();
    nodes_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  sets_[number] = taints;
  nodes_[number] = 1;
  numbers_.emplace(taints, number);
  for (auto& [tolerations, tolerated] : tolerated_) judge(tolerated, tolerations, number, taints);
  return number;
}

void TaintSets::let_go(std::uint32_t set) {
  if (set == 0 || --nodes_[set] > 0) return;
  numbers_.erase(sets_[set]);
  sets_[set].clear();
  free_.push_back(set);
}

void TaintSets::judge(Tolerated& of, const std::vector<Toleration>& tolerations, std::uint32_t set,
                      const std::vector<Taint>& taints) {
  if (of.hard.size() <= set) {
    of.hard.resize(set + 1, true);
    of.soft.resize(set + 1, 0);
  }
  bool hard = true;
  std::uint32_t soft = 0;
  for (const Taint& taint : taints) {
    if (tolerates(tolerations, taint)) continue;
    if (taint.effect == TaintEffect::PreferNoSchedule) {
      ++soft;
    } else {
      hard = false;
    }
  }
  of.hard[set] = hard;
  of.soft[set] = soft;
}

const Tolerated& TaintSets::tolerated_by(const std::vector<Toleration>& tolerations) {
  const auto [at, added] = tolerated_.try_emplace(tolerations);
  if (added) {
    for (std::uint32_t set = 0; set < sets_.size(); ++set) {
      judge(at->second, tolerations, set, sets_[set]);
    }
  }
  return at->second;
}

void TaintSets::forget(std::size_t above) {
  if (tolerated_.size() > above) tolerated_.clear();
}

}  // namespace elbowroom::policy
