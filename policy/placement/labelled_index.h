// Finds the entries that a node may use by its labels, without a look at the others: thousands of
// local volumes name one node each. An entry is filed under one label value that its nodes must
// have, or else under "any node".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/placement.h"
#include "policy/model/selector.h"

namespace elbowroom::policy {

template <class Entry>
class LabelledIndex {
 public:
  using Entries = std::set<Entry>;

  void add(const NodeExpression* by, const Entry& entry) {
    if (by == nullptr) {
      anywhere_.insert(entry);
      return;
    }
    auto& values = by_label_[by->key];
    for (const std::string& value : by->values) values[value].insert(entry);
  }
  void remove(const NodeExpression* by, const Entry& entry) {
    if (by == nullptr) {
      anywhere_.erase(entry);
      return;
    }
    const auto label = by_label_.find(by->key);
    if (label == by_label_.end()) return;
    for (const std::string& value : by->values) {
      const auto at = label->second.find(value);
      if (at == label->second.end()) continue;
      at->second.erase(entry);
      if (at->second.empty()) label->second.erase(at);
    }
    if (label->second.empty()) by_label_.erase(label);
  }

  // The sets with all entries that a node of those labels may use, and some that it may not.
  [[nodiscard]] std::vector<const Entries*> sets_for(const Labels& labels) const {
    std::vector<const Entries*> sets;
    if (!anywhere_.empty()) sets.push_back(&anywhere_);
    for (const auto& [key, values] : by_label_) {
      const auto label = labels.find(key);
      if (label == labels.end()) continue;
      const auto at = values.find(label->second);
      if (at != values.end()) sets.push_back(&at->second);
    }
    return sets;
  }
  [[nodiscard]] bool empty() const { return anywhere_.empty() && by_label_.empty(); }

 private:
  Entries anywhere_{};
  std::map<std::string, std::map<std::string, Entries, std::less<>>, std::less<>> by_label_{};
};

}  // namespace elbowroom::policy
