// The disruption budgets that cover given pods, each with what it allows now and when the next, as
// an eviction would be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {

struct CoveringBudget {
  std::string budget{};  // "PodDisruptionBudget default/web"
  bool hard = false;
  std::optional<std::int64_t> allowed{};  // disruptions now; none: no bound
  // Where it allows none, and a rate says so alone. None: the passing of time changes nothing.
  std::optional<Time> next{};
  std::vector<std::string> pods{};    // NAMESPACE/NAME of the given ones that it covers
  std::vector<std::string> spared{};  // of these: not Ready, and not charged

  friend bool operator==(const CoveringBudget&, const CoveringBudget&) = default;
};

// Those that cover one of the pods or more, by name. `budgets` has all pods that are counted.
[[nodiscard]] std::vector<CoveringBudget> covering_budgets(const std::vector<const Pod*>& pods,
                                                           const Budgets& budgets, Time now);

}  // namespace elbowroom::policy
