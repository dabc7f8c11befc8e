// A resize report as the ResizeDecision document that `simulate resize` and /explain give out.
// Every key is always there; "nothing" is "", [], {} or null.
#pragma once

#include "base/document.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::api {

// Quantities in canonical form; amounts of zero are left out; texts are at most 64 KiB long.
[[nodiscard]] Value encode_resize_report(const policy::ResizeReport& report);

// {"cpu": "1500m"}: every amount above zero.
[[nodiscard]] Value encode_resources(const policy::Resources& amounts);

}  // namespace elbowroom::api
