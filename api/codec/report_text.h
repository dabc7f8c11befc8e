// Texts and victims as the documents of reports have them. Every text is at most 64 KiB long,
// whatever the report holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "policy/preemption/victim_report.h"

namespace elbowroom::api::report {

[[nodiscard]] Value text(std::string_view text);
[[nodiscard]] Value texts(const std::vector<std::string>& all);
[[nodiscard]] Value victims(const std::vector<policy::VictimReport>& all);

}  // namespace elbowroom::api::report
