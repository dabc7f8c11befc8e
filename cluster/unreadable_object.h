// The rules for cluster objects that are unreadable. The scheduler and every verb that reads a
// cluster report and count them in the same way.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "policy/model/budget.h"

namespace elbowroom::cluster {

// Why unreadable pods make their node unclear, so that no pod is removed there: the first of them,
// and how many more there are. `pods`: message by key; not empty.
[[nodiscard]] std::string unreadable_message(
    const std::map<std::string, std::string, std::less<>>& pods);

// The same as a filter's reason, for pending pods.
inline constexpr std::string_view kUnclearNode = "node(s) had a pod that cannot be understood";

// Replaces an unreadable budget, whatever was known of it before: it may cover every pod of its
// namespace, and allows no disruption. For one of ours: policy/ledger/strictest_budget.h.
[[nodiscard]] policy::PodDisruptionBudget closed_budget(std::string_view ns, std::string_view name);

}  // namespace elbowroom::cluster
