// The agent's metrics, moved by what the agent reports. Nothing is counted here; what arrives are
// values and totals, and each function belongs to the one thread that reports it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "agent/node_totals.h"
#include "agent/program/wiring.h"
#include "agent/status.h"
#include "agent/worker/api_worker.h"
#include "control/server_metrics.h"
#include "daemon/metrics/metrics.h"

namespace elbowroom::agent {

class Figures {
 public:
  // `metrics` must outlive it and have the families of agent_families().
  Figures(const daemon::Metrics& metrics, bool authority);

  // What there is to report, moving these figures. Must not outlive them.
  [[nodiscard]] AgentReports reports();

  // Of the reactor's thread.
  void follow(const Snapshot& now);
  void follow(const NodeTotals& now);
  void follow(const SaveOutcome& outcome);
  // Of the API's thread.
  void follow(const ApiRound& round);
  void follow(const api::RequestOutcome& call) { server_.called(call); }
  // Of the runtime's thread.
  void follow(const cri::CallOutcome& call);
  // Of any.
  void turned(std::string_view loop, std::chrono::nanoseconds worked) {
    server_.turned(loop, worked);
  }
  void corrupt();
  // Of the thread that watches over: all lines suppressed so far.
  void suppressed(std::uint64_t lines) { server_.suppressed(lines); }

 private:
  void follow_watch(std::string_view resource, const api::Freshness& was, const api::Freshness& is);

  const daemon::Metrics& metrics_;
  control::ServerMetrics server_;
  Counts counts_{};
  ApiRound round_{};
};

}  // namespace elbowroom::agent
