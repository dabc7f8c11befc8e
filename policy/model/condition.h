// A status condition of a pod or node, and the types and reasons that this project reads. Where a
// type occurs twice, the first one counts, as upstream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/time.h"

namespace elbowroom::policy {

inline constexpr std::string_view kPodResizePending = "PodResizePending";
inline constexpr std::string_view kPodResizeInProgress = "PodResizeInProgress";
inline constexpr std::string_view kPodResizePreemptionDisabled = "PodResizePreemptionDisabled";
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
inline constexpr std::string_view kReady = "Ready";

inline constexpr std::string_view kReasonDeferred = "Deferred";
inline constexpr std::string_view kReasonInfeasible = "Infeasible";
inline constexpr std::string_view kReasonError = "Error";
inline constexpr std::string_view kReasonPreemptionDisabledByNodePolicy =
    "PreemptionDisabledByNodePolicy";
inline constexpr std::string_view kReasonPreemptionByScheduler = "PreemptionByScheduler";
inline constexpr std::string_view kReasonTerminationByKubelet = "TerminationByKubelet";

struct Condition {
  std::string type{};
  std::string status{};  // "True", "False", "Unknown"; the API server does not check it
  std::string reason{};
  std::string message{};
  std::optional<std::int64_t> observed_generation{};
  std::optional<Time> last_transition{};

  friend bool operator==(const Condition&, const Condition&) = default;
};

using Conditions = std::vector<Condition>;

// The first condition of that type, or nullptr. The pointer is valid while `conditions` is
// unchanged.
[[nodiscard]] const Condition* find_condition(const Conditions& conditions, std::string_view type);

// True when the first condition of that type has status True.
[[nodiscard]] bool has_true(const Conditions& conditions, std::string_view type);

}  // namespace elbowroom::policy
