// What a hard DisruptionBudget allows to a program that cannot count the pods of other nodes: what
// its status allows, less what has been debited since. The keeper renews the status
// (budget_keeping.h).
#pragma once

#include <chrono>
#include <cstdint>

#include "policy/model/budget.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// A status older than that allows nothing.
inline constexpr std::chrono::minutes kStatusLasts{10};

// >= 0. None: the status is of an earlier generation, older than kStatusLasts, or from the future
// by more than kStatusLasts. An entry of the second in which the status was observed counts as
// later.
[[nodiscard]] std::int64_t allowed_by_status(const DisruptionBudget& budget, Time now);

// Whether the budget lets unhealthy Pods be removed without a charge (spares_unhealthy()), as far
// as its status says. False where that counts for nothing, as above; AlwaysAllow needs no status.
[[nodiscard]] bool spares_by_status(const DisruptionBudget& budget, Time now);

// A budget of the same name and selector for plan_resize_preemption() at `now`: beside the pods of
// entries that are about to be removed it allows allowed_by_status(), whatever the pods are. It
// always allows unhealthy Pods where the status says that the budget spares them.
[[nodiscard]] DisruptionBudget wall_of(const DisruptionBudget& budget, Time now);

}  // namespace elbowroom::policy
