// PodDisruptionBudget (policy/v1) and our DisruptionBudget (elbowroom.dev/v1alpha1) as values. The
// one thing to know: a budget without a selector covers nothing, one with an empty selector covers
// its whole namespace.
#pragma once

#include <chrono>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "policy/budget.h"

namespace elbowroom::api {

// Invalid: no metadata.name, wrong types, a disruptionsAllowed outside 32 bits. Below zero counts
// as zero.
[[nodiscard]] Result<policy::PodDisruptionBudget> decode_pod_disruption_budget(const Value& object);

// Invalid, beside wrong types: minAvailable together with maxUnavailable, a percentage above 100, a
// rate without a duration of at least a second.
[[nodiscard]] Result<policy::DisruptionBudget> decode_disruption_budget(const Value& object);

// "1h30m", "45s", whole seconds. Invalid: anything else, or more than ten years.
[[nodiscard]] Result<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace elbowroom::api
