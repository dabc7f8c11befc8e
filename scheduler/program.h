// What elbowroom-scheduler has of its own between main() and its threads; control/program_parts.h
// and control/program.h have the rest.
#pragma once

#include <string_view>

#include "control/program_parts.h"
#include "scheduler/config.h"
#include "scheduler/log_lines.h"
#include "scheduler/metric_families.h"
#include "scheduler/scheduler_metrics.h"
#include "scheduler/wiring.h"

namespace elbowroom::scheduler {

class Program : public control::ProgramParts<Parts, Config> {
 public:
  using Figures = scheduler::Figures;
  using LastTold = scheduler::LastTold;

  static constexpr std::string_view kAbout =
      "Makes room for pods whose in-place resize is Deferred";
  static constexpr std::string_view kNotExplained = " waits for room";
  static constexpr std::string_view kGroupNotExplained = " has pods that wait for a node";

  using ProgramParts::ProgramParts;

  [[nodiscard]] static daemon::MetricFamilies families() { return scheduler_families(); }
  [[nodiscard]] static Figures figures(const daemon::Metrics& metrics,
                                       const SchedulerOptions& /*options*/) {
    return Figures(metrics);
  }
};

}  // namespace elbowroom::scheduler
