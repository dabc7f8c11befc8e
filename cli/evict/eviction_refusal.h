// Which pods are not evicted, whatever time it is.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "policy/model/budget.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

struct NeverEvicted {
  std::string why{};
  bool is_by_budget = false;
};

// Why, in words: it terminates or has finished; it is static or mirror; a DaemonSet would create it
// again on the same node; its pod group is disrupted whole, or is not understood, and an eviction
// takes one pod; it has no controller, unless `is_forced`; several PodDisruptionBudgets cover it,
// which the API server answers with 500, or more of our own than are written for one pod
// (kMostBudgetsOverPod). None: nothing is against it.
[[nodiscard]] std::optional<NeverEvicted> why_never_evicted(
    const policy::Pod& pod, std::span<const policy::PodDisruptionBudget> budgets,
    std::span<const policy::DisruptionBudget> own, bool is_forced);

}  // namespace elbowroom::cli
