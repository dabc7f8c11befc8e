// The scheduler's metrics, moved by what the scheduler reports. Nothing is counted here; what
// arrive are values and totals, and each function belongs to the one thread that reports it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "control/server_metrics.h"
#include "daemon/metrics/metrics.h"
#include "scheduler/status.h"
#include "scheduler/wiring.h"

namespace elbowroom::scheduler {

class Figures {
 public:
  // `metrics` must outlive it and have the families of scheduler_families().
  explicit Figures(const daemon::Metrics& metrics);

  // What there is to report, moving these figures. Must not outlive them.
  [[nodiscard]] SchedulerReports reports();

  // Of the reactor's thread.
  void follow(const SchedulerStatus& now);
  void judged(std::uint64_t turns, std::chrono::nanoseconds worked);
  // Of the API's thread.
  void follow(const ApiRound& round) { server_.follow(round); }
  void follow(const api::RequestOutcome& call) { server_.called(call); }
  // Of any.
  void turned(std::string_view loop, std::chrono::nanoseconds worked) {
    server_.turned(loop, worked);
  }
  // Of the thread that watches over: all lines suppressed so far.
  void suppressed(std::uint64_t lines) { server_.suppressed(lines); }

 private:
  const daemon::Metrics& metrics_;
  control::ServerMetrics server_;
  const daemon::Histogram attempts_;
  Counts counts_{};
};

}  // namespace elbowroom::scheduler
