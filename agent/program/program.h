// What elbowroomd has of its own between main() and its threads; control/program.h has the rest. An
// agent that keeps crashing still starts, and then only observes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/program/agent_metrics.h"
#include "agent/program/config.h"
#include "agent/program/log_lines.h"
#include "agent/program/log_reports.h"
#include "agent/program/metric_families.h"
#include "agent/program/wiring.h"
#include "base/disk.h"
#include "base/result.h"
#include "daemon/http/endpoints.h"
#include "daemon/log/log.h"
#include "daemon/metrics/reload_metrics.h"
#include "daemon/program/crash_record.h"
#include "daemon/program/sandbox.h"

namespace elbowroom::agent {

class Program {
 public:
  using Config = agent::Config;
  using Daemon = Agent;
  using Figures = agent::Figures;
  using LastTold = agent::LastTold;

  static constexpr std::string_view kName = "elbowroomd";
  static constexpr std::string_view kAbout =
      "Judges, carries out and explains in-place resizes of this node's pods";
  static constexpr std::string_view kNotExplained = " on this node";
  static constexpr bool kEndsFirst = false;

  [[nodiscard]] static std::string self();
  [[nodiscard]] static daemon::MetricFamilies families() { return agent_families(); }
  [[nodiscard]] static Figures figures(const daemon::Metrics& metrics,
                                       const AgentOptions& options) {
    return {metrics, options.reactor.authority};
  }
  [[nodiscard]] static std::vector<std::string> loops(const AgentOptions& options);
  [[nodiscard]] static daemon::Surroundings sandbox(const AgentOptions& options);
  // Invalid: a kubelet answers on this machine, and the agent would be alone here.
  [[nodiscard]] static Result<void> check_machine(const AgentOptions& options);
  [[nodiscard]] static std::vector<daemon::Check> checks_of(const Snapshot& now) {
    return agent::checks_of(now);
  }
  [[nodiscard]] static std::vector<daemon::Field> log_fields(const AgentOptions& options) {
    return {{"node", options.reactor.node_name}};
  }

  // `log` must outlive it.
  Program(AgentOptions options, daemon::Log& log);

  [[nodiscard]] const AgentOptions& options() const { return options_; }
  // Waits where earlier starts crashed; false: it was asked to end meanwhile.
  [[nodiscard]] bool may_begin();
  [[nodiscard]] Result<std::unique_ptr<Agent>> open(AgentReports reports) const;
  // /configz tells what the probe of the API server found, once it has.
  void resolve(AgentReports& reports, daemon::ReloadMetrics& config) const;
  // The end was asked for: earlier crashes are forgotten.
  void ended() { crashes_.stopped(); }

 private:
  AgentOptions options_;
  daemon::Log& log_;
  const RealDisk disk_{};
  daemon::CrashRecord crashes_;
};

}  // namespace elbowroom::agent
