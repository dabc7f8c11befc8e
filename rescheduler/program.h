// What elbowroom-rescheduler has of its own between main() and its threads;
// control/program_parts.h and control/program.h have the rest.
#pragma once

#include <string_view>
#include <vector>

#include "control/program_parts.h"
#include "rescheduler/config.h"
#include "rescheduler/rescheduler_metrics.h"
#include "rescheduler/wiring.h"

namespace elbowroom::rescheduler {

class Program : public control::ProgramParts<Parts, Config> {
 public:
  using Figures = rescheduler::Figures;
  using LastTold = rescheduler::LastTold;

  static constexpr std::string_view kAbout = "Keeps the status of disruption budgets";
  static constexpr std::string_view kNotExplained = " is known that has not finished";
  static constexpr std::string_view kBudgetNotExplained = " is known";
  static constexpr bool kHasModes = false;

  using ProgramParts::ProgramParts;

  [[nodiscard]] static daemon::MetricFamilies families() { return rescheduler_families(); }
  [[nodiscard]] static Figures figures(const daemon::Metrics& metrics,
                                       const ReschedulerOptions& /*options*/) {
    return Figures(metrics);
  }
  [[nodiscard]] static std::vector<daemon::Check> checks_of(const ReschedulerStatus& now) {
    std::vector<daemon::Check> checks = ProgramParts::checks_of(now);
    checks.push_back({"writes", now.writes.empty(), now.writes});
    return checks;
  }
};

}  // namespace elbowroom::rescheduler
