// One rescheduler, put together; control/wiring.h has its threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cluster/page_part.h"
#include "control/wiring.h"
#include "daemon/https/https_server.h"
#include "rescheduler/explain.h"
#include "rescheduler/log_lines.h"
#include "rescheduler/reactor.h"
#include "rescheduler/recording/recording.h"
#include "rescheduler/status.h"
#include "rescheduler/wire.h"

namespace elbowroom::rescheduler {

struct WebhookOptions {
  daemon::HttpsServer::Options server{};
  std::string path = "/review";  // to which the API server posts reviews; it may be a secret
  bool dry_run = false;
};
struct ReschedulerOptions : control::DaemonOptions<ReactorOptions, Wire::Options> {
  std::optional<WebhookOptions> webhook{};  // none: it answers no reviews
};
using ReschedulerReports = control::Reports<Observation, Effect, ReschedulerStatus>;

// See control/wiring.h.
struct Parts : Wire::Daemon {
  using Options = ReschedulerOptions;
  using Reactor = rescheduler::Reactor;
  using Status = ReschedulerStatus;
  using Recording = rescheduler::Recording;
  using Worker = ApiWorker;

  static api::TransportOptions transport_options(const Options& /*options*/) {
    return Wire::transport_options();
  }
  static std::string explain(const Reactor& reactor, const std::string& pod, const Moment& now,
                             const ReactorOptions& /*options*/) {
    return explain_pod(reactor, pod, now);
  }
  static std::string explain_budget(const Reactor& reactor, const std::string& budget,
                                    const Moment& now, const ReactorOptions& options) {
    return rescheduler::explain_budget(reactor, budget, now, options.dry_run);
  }
  static page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked,
                                  const Moment& now, const ReactorOptions& options) {
    const policy::Time server = reactor.server_time(now.since_start);
    const cluster::Snapshot& snapshot = reactor.cluster().snapshot();
    page::PagePart part = cluster::page_part(
        {.snapshot = snapshot,
         .view_of = [&](const std::string& node) { return snapshot.view(node, server); },
         .now = server},
        asked);
    part.idle_because =
        options.dry_run ? "it only tries out what it would do (dry run)" : reactor.idle_because();
    return part;
  }
  static Status status_of(const Reactor& reactor, std::chrono::milliseconds /*now*/) {
    return rescheduler_status_of(reactor);
  }
  // Passes.
  static std::uint64_t turns(const Reactor& reactor) { return reactor.counts().passes; }
};

}  // namespace elbowroom::rescheduler
