// Disruption budgets as values: upstream's PodDisruptionBudget and our DisruptionBudget. Only a
// hard DisruptionBudget is a guarantee against preemption.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/selector.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

struct PodDisruptionBudget {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::optional<LabelSelector> selector{};              // none: matches no pod; empty: every pod
  std::int64_t disruptions_allowed = 0;                 // status; absent counts as 0
  std::set<std::string, std::less<>> disrupted_pods{};  // names in status.disruptedPods

  friend bool operator==(const PodDisruptionBudget&, const PodDisruptionBudget&) = default;
};

// A count, or percent of the covered pods rounded up.
struct IntOrPercent {
  std::int64_t value = 0;
  bool percent = false;

  friend bool operator==(const IntOrPercent&, const IntOrPercent&) = default;
};

struct RecentDisruption {
  std::string pod{};
  std::string uid{};
  Time time{};

  friend bool operator==(const RecentDisruption&, const RecentDisruption&) = default;
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
  std::vector<RecentDisruption> recent{};

  friend bool operator==(const DisruptionBudget&, const DisruptionBudget&) = default;
};

}  // namespace elbowroom::policy
