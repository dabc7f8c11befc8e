// What holds where an object of the cluster cannot be understood. It is told and counted alike by
// the scheduler and by every verb that reads a cluster.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "policy/model/budget.h"

namespace elbowroom::cluster {

// Why pods that cannot be understood make their node unclear, so that nobody is removed there: the
// first of them, and how many more there are. `pods`: why, by key; not empty.
[[nodiscard]] std::string what_is_unreadable(
    const std::map<std::string, std::string, std::less<>>& pods);

// The same as a filter's reason, for pods that are to be placed.
inline constexpr std::string_view kUnclearNode = "node(s) had a pod that cannot be understood";

// What stands for a budget that cannot be understood, whatever was understood of it before: it may
// cover every pod of its namespace, and let none of them go; one of ours may say hard.
[[nodiscard]] policy::PodDisruptionBudget closed_budget(std::string_view ns, std::string_view name);
[[nodiscard]] policy::DisruptionBudget strictest_budget(std::string_view ns, std::string_view name);

}  // namespace elbowroom::cluster
