#include "cluster/budget_index.h"

namespace elbowroom::cluster {
namespace {

// A key has no equals sign.
std::string label(std::string_view key, std::string_view value) {
  std::string text;
  text.reserve(key.size() + 1 + value.size());
  return text.append(key).append("=").append(value);
}

}  // namespace

std::string BudgetIndex::label_of(const policy::LabelSelector& selector) {
  if (selector.match_labels.empty()) return "";
  const auto& [key, value] = *selector.match_labels.begin();
  return label(key, value);
}

void BudgetIndex::put(const std::string& name,
                      const std::optional<policy::LabelSelector>& selector) {
  if (selector) by_label_[label_of(*selector)].insert(name);
}

void BudgetIndex::remove(std::string_view name,
                         const std::optional<policy::LabelSelector>& selector) {
  if (!selector) return;
  const auto known = by_label_.find(label_of(*selector));
  if (known == by_label_.end()) return;
  if (const auto at = known->second.find(name); at != known->second.end()) known->second.erase(at);
  if (known->second.empty()) by_label_.erase(known);
}

void BudgetIndex::add_candidates(const policy::Labels& labels, Names& to) const {
  const auto add = [&](const std::string& of) {
    const auto known = by_label_.find(of);
    if (known != by_label_.end()) to.insert(known->second.begin(), known->second.end());
  };
  add("");
  for (const auto& [key, value] : labels) add(label(key, value));
}

}  // namespace elbowroom::cluster
