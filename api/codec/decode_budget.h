// PodDisruptionBudget (policy/v1) and our DisruptionBudget (elbowroom.dev/v1alpha1) as values. A
// budget without a selector covers no pod; one with an empty selector covers its whole namespace.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/budget.h"

namespace elbowroom::api {

// The limit for one selector: its labels, expressions and their values together. A selector is
// evaluated for every pod of its namespace.
inline constexpr std::size_t kMaxSelectorTexts = 1'000;
inline constexpr std::size_t kMaxSelectorBytes = std::size_t{32} << 10;

// Invalid: no metadata.name, wrong types, a disruptionsAllowed outside 32 bits. Below zero counts
// as zero. Exhausted: a selector beyond the limit.
[[nodiscard]] Result<policy::PodDisruptionBudget> decode_pod_disruption_budget(const Value& object);

// Invalid, in addition to wrong types: minAvailable together with maxUnavailable, a percentage
// above 100, an unhealthyPodEvictionPolicy that is none, a rate of more than 1,000 disruptions, or
// without a duration from 1s to 720h; a status that the CRD does not allow. Exhausted: as above.
[[nodiscard]] Result<policy::DisruptionBudget> decode_disruption_budget(const Value& object);

// Approximate size in bytes.
[[nodiscard]] std::size_t weight_of(const policy::PodDisruptionBudget& budget);
[[nodiscard]] std::size_t weight_of(const policy::DisruptionBudget& budget);

// "1h30m", "45s", whole seconds. Invalid: anything else, or more than ten years.
[[nodiscard]] Result<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace elbowroom::api
