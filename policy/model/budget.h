// Disruption budgets as values: upstream's PodDisruptionBudget and our DisruptionBudget. Only a
// hard DisruptionBudget is a guarantee against preemption.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/model/condition.h"
#include "policy/model/selector.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// Which Pods that are not Ready a budget lets be evicted. Source: policy/v1
// PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy.
enum class UnhealthyPodEviction {
  IfHealthyBudget,  // while as many Pods as desired are healthy; they are not charged
  AlwaysAllow,      // always; they are not charged
  Unknown,          // a policy of a newer API server: they are charged as healthy ones
};

struct PodDisruptionBudget {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::optional<LabelSelector> selector{};              // none: matches no pod; empty: every pod
  std::int64_t disruptions_allowed = 0;                 // status; absent counts as 0
  std::set<std::string, std::less<>> disrupted_pods{};  // names in status.disruptedPods
  UnhealthyPodEviction unhealthy = UnhealthyPodEviction::IfHealthyBudget;
  std::int64_t current_healthy = 0;  // status; absent counts as 0
  std::int64_t desired_healthy = 0;  // likewise

  friend bool operator==(const PodDisruptionBudget&, const PodDisruptionBudget&) = default;
};

// A count, or percent of the expected Pods rounded up.
struct IntOrPercent {
  std::int64_t value = 0;
  bool percent = false;

  friend bool operator==(const IntOrPercent&, const IntOrPercent&) = default;
};

// A pod that was removed, or is about to be: one of status.recentDisruptions.
struct LedgerEntry {
  std::string pod{};  // its name; the namespace is the budget's
  std::string uid{};
  Time time{};
  std::string by{};  // the program or the reason; "" where nothing is said

  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};
using Ledger = std::vector<LedgerEntry>;

// More are not stored.
inline constexpr std::size_t kMostLedgerEntries = 1'000;

// A pod that is debited is removed in that time. One that lives on afterwards, and is not marked,
// was not removed: its entry is refunded.
inline constexpr std::chrono::minutes kTimeToRemove{2};

// What the status of a DisruptionBudget says besides its ledger.
struct BudgetStatus {
  std::int64_t expected_pods = 0;        // that the budget covers, and those that wait for a node
  std::int64_t current_healthy = 0;      // of these: Ready, not terminating, not debited
  std::int64_t desired_healthy = 0;      // so many must stay healthy
  std::int64_t disruptions_allowed = 0;  // at observed_time
  std::optional<Time> next_allowed_time{};
  std::optional<Time> observed_time{};
  std::int64_t observed_generation = 0;
  Conditions conditions{};

  friend bool operator==(const BudgetStatus&, const BudgetStatus&) = default;
};

struct DisruptionBudget {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::optional<LabelSelector> selector{};
  std::optional<IntOrPercent> min_available{};
  std::optional<IntOrPercent> max_unavailable{};
  std::optional<std::int64_t> rate_disruptions{};
  std::chrono::seconds rate_per{0};
  bool hard = false;
  UnhealthyPodEviction unhealthy = UnhealthyPodEviction::IfHealthyBudget;
  Ledger recent{};
  std::string version{};  // resourceVersion; "" in a file
  std::int64_t generation = 0;
  BudgetStatus status{};

  friend bool operator==(const DisruptionBudget&, const DisruptionBudget&) = default;
};

}  // namespace elbowroom::policy
