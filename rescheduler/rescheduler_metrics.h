// The rescheduler's metrics: their table, and what moves them. Nothing is counted here; what
// arrives are values and totals.
#pragma once

#include <cstdint>

#include "control/server_metrics.h"
#include "daemon/metrics/metric_family.h"
#include "daemon/metrics/metrics.h"
#include "rescheduler/status.h"
#include "rescheduler/wiring.h"

namespace elbowroom::rescheduler {

[[nodiscard]] daemon::MetricFamilies rescheduler_families();

class Figures {
 public:
  // `metrics` must outlive it and have the families of rescheduler_families().
  explicit Figures(const daemon::Metrics& metrics);

  // What there is to report, moving these figures. Must not outlive them.
  [[nodiscard]] ReschedulerReports reports();

  // Of the thread that watches over: all lines suppressed so far.
  void suppressed(std::uint64_t lines) { server_.suppressed(lines); }

 private:
  void follow(const ReschedulerStatus& now);

  const daemon::Metrics& metrics_;
  control::ServerMetrics server_;
  daemon::Histogram passes_;
  Counts counts_{};
  daemon::HttpsServer::Health webhook_{};
  std::uint64_t unread_reviews_ = 0;
};

}  // namespace elbowroom::rescheduler
