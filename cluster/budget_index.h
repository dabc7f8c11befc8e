// The DisruptionBudgets of one namespace by a label that their pods have, so that an event of a pod
// looks at those few that may cover it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "policy/model/selector.h"

namespace elbowroom::cluster {

class BudgetIndex {
 public:
  using Names = std::set<std::string, std::less<>>;

  // Under the selector that it has. A selector of none covers no pod.
  void put(const std::string& name, const std::optional<policy::LabelSelector>& selector);
  // Requires the selector that it was put with.
  void remove(std::string_view name, const std::optional<policy::LabelSelector>& selector);

  // Adds the names of all that may cover a pod with these labels, and of few others.
  void add_candidates(const policy::Labels& labels, Names& to) const;

 private:
  // The label, "KEY=VALUE", that stands for the selector; "" for one that asks for no label.
  [[nodiscard]] static std::string label_of(const policy::LabelSelector& selector);

  std::map<std::string, Names, std::less<>> by_label_{};
};

}  // namespace elbowroom::cluster
