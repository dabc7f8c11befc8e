// What the program of a leader-elected daemon needs beside its parts (control/program.h): two
// loops, no machine of its own, a reactor that a Lease lets act. A daemon that has more of one of
// these hides it with its own.
//
// Parts are as control/wiring.h has them, with kName and Done (control/api_line.h) too.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "control/log_reports.h"
#include "control/replica_figures.h"
#include "control/replica_identity.h"
#include "control/reports.h"
#include "control/wiring.h"
#include "daemon/http/endpoints.h"
#include "daemon/log/log.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/reload_metrics.h"
#include "daemon/program/sandbox.h"
#include "recording/record_limit.h"

namespace elbowroom::control {

template <class Parts, class ConfigType>
class ProgramParts {
 public:
  using Config = ConfigType;
  using Options = typename Parts::Options;
  using Status = typename Parts::Status;
  using Daemon = Wiring<Parts>;
  using ReportsOf = typename Daemon::Told;
  using LastTold = control::LastTold<typename Parts::Done>;
  using Figures = ReplicaFigures<ReportsOf>;

  static constexpr std::string_view kName = Parts::kName;
  // Its threads end before its endpoints: another replica waits for its Lease.
  static constexpr bool kEndsFirst = true;

  [[nodiscard]] static std::string self() { return replica_identity(); }
  [[nodiscard]] static Figures figures(const daemon::Metrics& metrics, const Options& /*options*/) {
    return Figures(metrics);
  }
  [[nodiscard]] static std::vector<std::string> loops(const Options& /*options*/) {
    return {"reactor", "api"};
  }
  [[nodiscard]] static daemon::Surroundings sandbox(const Options& /*options*/) {
    return {.of = daemon::SandboxOf::Scheduler};
  }
  [[nodiscard]] static Result<void> check_machine(const Options& /*options*/) { return {}; }
  // A replica that waits for the Lease is ready too. A Status has synced, lost, lease,
  // idle_because.
  [[nodiscard]] static std::vector<daemon::Check> checks_of(const Status& now) {
    return {{"synced", now.synced, now.synced ? "" : "not everything was listed yet"},
            {"followed", now.lost.empty(), now.lost},
            {"lease", now.lease.empty(), now.lease},
            {"acting", true, now.idle_because.empty() ? "leads" : now.idle_because}};
  }
  [[nodiscard]] static std::vector<daemon::Field> log_fields(const Options& /*options*/) {
    return {};
  }

  ProgramParts(Options options, daemon::Log& /*log*/) : options_(std::move(options)) {}

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] static bool may_begin() { return true; }
  // Invalid: a recording cannot begin where it was asked for.
  [[nodiscard]] Result<std::unique_ptr<Daemon>> open(ReportsOf reports) const {
    RETURN_IF_ERROR(recording::check_record(options_.record));
    return std::make_unique<Daemon>(options_, std::move(reports));
  }
  void resolve(ReportsOf& /*reports*/, daemon::ReloadMetrics& config) const {
    config.resolve(Config::resolved(options_));
  }
  void ended() {}

 private:
  Options options_;
};

}  // namespace elbowroom::control
