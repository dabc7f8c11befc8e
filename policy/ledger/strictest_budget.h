// What stands in for a DisruptionBudget that cannot be understood, whatever was known of it before:
// it may cover every pod of its namespace, be hard, and allow no disruption.
#pragma once

#include <string_view>

#include "policy/model/budget.h"

namespace elbowroom::policy {

[[nodiscard]] DisruptionBudget strictest_budget(std::string_view ns, std::string_view name);

}  // namespace elbowroom::policy
