#include "policy/model/condition.h"

#include <algorithm>

namespace elbowroom::policy {

const Condition* find_condition(const Conditions& conditions, std::string_view type) {
  const auto at = std::ranges::find(conditions, type, &Condition::type);
  return at == conditions.end() ? nullptr : &*at;
}

bool has_true(const Conditions& conditions, std::string_view type) {
  const Condition* found = find_condition(conditions, type);
  return found != nullptr && found->status == "True";
}

}  // namespace elbowroom::policy
