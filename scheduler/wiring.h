// One scheduler, put together; control/wiring.h has its threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "control/wiring.h"
#include "scheduler/explain.h"
#include "scheduler/page_part.h"
#include "scheduler/reactor.h"
#include "scheduler/recording/recording.h"
#include "scheduler/status.h"
#include "scheduler/wire.h"

namespace elbowroom::scheduler {

using SchedulerOptions = control::DaemonOptions<ReactorOptions, ApiWorkerOptions>;
using SchedulerReports = control::Reports<Observation, Effect, SchedulerStatus>;

// See control/wiring.h.
struct Parts : Wire::Daemon {
  using Options = SchedulerOptions;
  using Reactor = scheduler::Reactor;
  using Status = SchedulerStatus;
  using Recording = scheduler::Recording;
  using Worker = ApiWorker;

  static api::TransportOptions transport_options(const Options& options) {
    return Wire::transport_options(options.worker.places);
  }
  static std::string explain(const Reactor& reactor, const std::string& pod, const Moment& now,
                             const ReactorOptions& options) {
    return scheduler::explain(reactor, pod, now, options.dry_run);
  }
  static std::string explain_group(const Reactor& reactor, const std::string& group,
                                   const Moment& now, const ReactorOptions& options) {
    return scheduler::explain_group(reactor, group, now, options.dry_run);
  }
  static page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked,
                                  const Moment& now, const ReactorOptions& options) {
    return scheduler::page_part(reactor, asked, now, options);
  }
  static Status status_of(const Reactor& reactor, std::chrono::milliseconds now) {
    return scheduler_status_of(reactor, now);
  }
  static std::uint64_t turns(const Reactor& reactor) { return reactor.counts().all_turns(); }
};

using Scheduler = control::Wiring<Parts>;

}  // namespace elbowroom::scheduler
