// The metrics that every daemon beside the API server has: its loops, its calls, how fresh what it
// follows is, and the events that it did not write. Totals come as they stand, and move the
// counters by what they rose.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/transport/transport.h"
#include "api/watch/watch_loop.h"
#include "control/api_round.h"
#include "daemon/metrics/common_metrics.h"
#include "daemon/metrics/metric_family.h"
#include "daemon/metrics/metrics.h"

namespace elbowroom::control {

class ServerMetrics {
 public:
  // `metrics` must outlive it and have the families of daemon_families(), apiserver_families(),
  // those below, and elbowroom_rejected_inputs_total.
  explicit ServerMetrics(const daemon::Metrics& metrics)
      : metrics_(metrics), loops_(metrics), calls_(metrics) {}

  // Of the API's thread.
  void follow(const ApiRound& round);
  void called(const api::RequestOutcome& call);
  // Of any.
  void turned(std::string_view loop, std::chrono::nanoseconds worked);
  // Of the thread that watches over: all lines suppressed so far.
  void suppressed(std::uint64_t lines);

  // Sends the reports of loops and calls here. Must not outlive it.
  template <class Reports>
  void hear(Reports& reports) {
    reports.turned = [this](std::string_view loop, std::chrono::nanoseconds worked) {
      turned(loop, worked);
    };
    reports.api_called = [this](const api::RequestOutcome& call) { called(call); };
  }

 private:
  void stale(std::string_view resource, const api::Freshness& is, api::Clock::time_point now) const;

  const daemon::Metrics& metrics_;
  daemon::LoopMetrics loops_;
  daemon::CallMetrics calls_;
  ApiRound round_{};
  std::uint64_t suppressed_ = 0;
};

// Sets when the certificate ("client", "webhook") expires; the clock's zero: there is none.
// `metrics` must have the certificate_family().
void set_certificate(const daemon::Metrics& metrics, std::string_view certificate,
                     std::chrono::system_clock::time_point expires);

// The families of what is followed: staleness of each resource, certificates, and dropped events.
[[nodiscard]] daemon::MetricFamily staleness_family(std::vector<std::string_view> resources);
// `which`: the certificates that the program may have.
[[nodiscard]] daemon::MetricFamily certificate_family(std::vector<std::string_view> which = {
                                                          "client"});
[[nodiscard]] daemon::MetricFamily dropped_events_family();

}  // namespace elbowroom::control
