// Charging disruption budgets over the potential victims of a node. Budgets are charged before
// anybody is reprieved, so "violates" means: it would if all of them had to go.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"

namespace elbowroom::policy {

// The pods that a DisruptionBudget covers: those of its namespace that match, have a node and have
// not finished.
struct Strength {
  std::int64_t covered = 0;
  std::int64_t healthy = 0;  // of them: Ready and not terminating

  friend bool operator==(const Strength&, const Strength&) = default;
};
[[nodiscard]] Strength strength_of(const DisruptionBudget& budget, std::span<const Pod> pods);

// Everything that limits disruptions, with what is needed to know how much is left.
struct Budgets {
  std::vector<PodDisruptionBudget> upstream{};
  std::vector<DisruptionBudget> ours{};
  std::vector<Pod> cluster_pods{};    // all pods known; for the strength of our budgets
  std::vector<Strength> strengths{};  // parallel to `ours`: where somebody has counted already
};

// Disruptions that a DisruptionBudget allows at `now`, >= 0: the lesser of strength (healthy pods
// less minAvailable, or less covered pods plus maxUnavailable) and rate (disruptions less the
// recent ones younger than `per`). INT64_MAX where it sets neither.
[[nodiscard]] std::int64_t allowed_now(const DisruptionBudget& budget, const Strength& strength,
                                       Time now);
[[nodiscard]] std::int64_t allowed_now(const DisruptionBudget& budget,
                                       std::span<const Pod> cluster_pods, Time now);

// When the rate of some hard budget lets the next one go, by what has happened so far; none: no
// passing of time changes what they allow.
[[nodiscard]] std::optional<Time> next_allowed_time(const Budgets& budgets, Time now);

// For each of `victims` (most important first) the hard budget that makes it no potential victim at
// all, because it allows no more, or nullptr; charged from the least important up. Parallel to
// `victims`; the pointers live as long as `budgets`.
[[nodiscard]] std::vector<const DisruptionBudget*> forbidding_budgets(
    const std::vector<const Pod*>& victims, const Budgets& budgets, Time now);

// Which of `victims` (most important first) break a budget. Default rules charge from the least
// important up and every budget that covers the pod; upstream's from the most important down, and
// stop at the first budget of a pod that breaks. Parallel to `victims`. Source: kube-scheduler
// filterPodsWithPDBViolation (1.37).
[[nodiscard]] std::vector<bool> violating(const std::vector<const Pod*>& victims,
                                          const Budgets& budgets, RuleSet rules, Time now);

}  // namespace elbowroom::policy
