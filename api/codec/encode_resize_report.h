// Encodes a resize report as the ResizeDecision document that `simulate resize` and /explain print.
// Every key is always present; an absent value is "", [], {} or null.
#pragma once

#include "base/document.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::api {

// Quantities in canonical form; zero amounts are omitted; texts have at most 64 KiB.
[[nodiscard]] Value encode_resize_report(const policy::ResizeReport& report);

// {"cpu": "1500m"}: every amount above zero.
[[nodiscard]] Value encode_resources(const policy::Resources& amounts);

// A list of {type, status, reason, message, observedGeneration, lastTransitionTime}.
[[nodiscard]] Value encode_conditions(const policy::Conditions& conditions);

}  // namespace elbowroom::api
