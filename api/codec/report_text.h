// Texts and victims in report documents. Every text has at most 64 KiB, whatever the report
// contains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "policy/model/preemption_policy.h"
#include "policy/preemption/victim_report.h"

namespace elbowroom::api::report {

[[nodiscard]] Value text(std::string_view text);
[[nodiscard]] Value texts(const std::vector<std::string>& all);
[[nodiscard]] std::string_view name_of(policy::PreemptionPolicy policy);
[[nodiscard]] Value victims(const std::vector<policy::VictimReport>& all);

}  // namespace elbowroom::api::report
