// Charges disruption budgets for the potential victims of a node, unit by unit. Budgets are charged
// before any reprieve, so "violates" means: would violate if all potential victims were removed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/unit.h"
#include "policy/preemption/budget_account.h"

namespace elbowroom::policy {

// The Pods that a DisruptionBudget expects: the matching Pods of its namespace that have not
// finished. Those that have a node are covered.
struct Strength {
  std::int64_t covered = 0;
  std::int64_t healthy = 0;  // of these: Ready and not terminating
  std::int64_t awaited = 0;  // without a node

  // What percentages and maxUnavailable refer to. Their controllers' replicas, as policy/v1 counts
  // them: a Pod that was evicted is counted until its replacement is Ready.
  [[nodiscard]] std::int64_t expected() const { return covered + awaited; }

  void add(const Strength& more) {
    covered += more.covered;
    healthy += more.healthy;
    awaited += more.awaited;
  }
  void subtract(const Strength& less) {
    covered -= less.covered;
    healthy -= less.healthy;
    awaited -= less.awaited;
  }

  friend bool operator==(const Strength&, const Strength&) = default;
};
[[nodiscard]] Strength strength_of(const DisruptionBudget& budget, std::span<const Pod> pods);

// So many of that many expected Pods must stay healthy, >= 0; 0 where the budget says nothing of
// it.
[[nodiscard]] std::int64_t desired_healthy(const DisruptionBudget& budget, std::int64_t expected);

// Whether the budget lets unhealthy Pods (is_unhealthy()) be removed without a charge: always, or
// while as many Pods as desired are healthy and some are desired, by its policy. `strength` is that
// beside the Pods that are about to be removed. Source: kubernetes
// pkg/registry/core/pod/storage/eviction.go (1.37).
[[nodiscard]] bool spares_unhealthy(const DisruptionBudget& budget, const Strength& strength);
[[nodiscard]] bool spares_unhealthy(const PodDisruptionBudget& budget);

// Everything that limits disruptions, with the inputs needed to compute what is left.
struct Budgets {
  std::vector<PodDisruptionBudget> upstream{};
  std::vector<DisruptionBudget> ours{};
  std::vector<Pod> cluster_pods{};    // all known pods; for the strength of our budgets
  std::vector<Strength> strengths{};  // parallel to `ours`, where already counted
};

// The disruptions that a DisruptionBudget allows at `now`, >= 0: the lesser of strength (healthy
// Pods less minAvailable, or less expected Pods plus maxUnavailable) and rate (disruptions less the
// recent ones younger than `per`). INT64_MAX where it sets neither.
[[nodiscard]] std::int64_t allowed_now(const DisruptionBudget& budget, const Strength& strength,
                                       Time now);
[[nodiscard]] std::int64_t allowed_now(const DisruptionBudget& budget,
                                       std::span<const Pod> cluster_pods, Time now);

// Whether the budget has been charged for the removal of the entry's pod: the rate counts it or,
// without a rate, the pod is being removed. An older one is charged once more.
[[nodiscard]] bool is_charged(const DisruptionBudget& budget, const LedgerEntry& entry, Time now);

// When the rate of some hard budget may allow the next removal, or a debit of one may be refunded,
// given the disruptions so far. None: the passing of time changes nothing.
[[nodiscard]] std::optional<Time> next_allowed_time(const Budgets& budgets, Time now);

// For each of `victims` (most important first), the hard budget that excludes it from the potential
// victims because it allows fewer pods than the unit has, or because there are too many of them, or
// nullptr. Charged from the least
// important unit up, for all its pods wherever they run. Parallel to `victims`; the pointers are
// valid as long as `budgets`. A pod that a ledger names is not charged to that budget again, nor an
// unhealthy one where the budget spares it (spares_unhealthy()).
[[nodiscard]] std::vector<const DisruptionBudget*> forbidding_budgets(
    const std::vector<Unit<Pod>>& victims, const Budgets& budgets, Time now);

// Whether more hard budgets cover one of its pods than are written when it goes.
[[nodiscard]] bool has_too_many_walls(const Unit<Pod>& unit, const Budgets& budgets);

// For each of `victims` (most important first), how many of its pods violate a budget of which
// kind, wherever they run. Default rules charge from the least important unit up, and charge every
// budget that covers the pod. Upstream's rules charge from the most important down, and stop at
// each pod's first violated budget, and charge a PodDisruptionBudget for unhealthy pods that it
// spares (spares_unhealthy()), too. Parallel to `victims`. Source: kube-scheduler
// filterPodsWithPDBViolation (1.37).
[[nodiscard]] std::vector<Violations> violating(const std::vector<Unit<Pod>>& victims,
                                                const Budgets& budgets, RuleSet rules, Time now);

}  // namespace elbowroom::policy
