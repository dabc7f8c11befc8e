// One leader-elected daemon, put together: the reactor on its own thread, the API's beside it.
// These are all its threads, and they exchange values through the inbox only.
//
// Parts are what it is put together of:
//   types Observation, Effect, Effects, Reactor, Status, Recording, Worker (a control::ApiWorker);
//   Options, with reactor, worker, access, record, record_limit;
//   static functions transport_options(options), explain(reactor, pod, now, options),
//   status_of(reactor, now), turns(reactor), how many decisions it has made; where it explains pod
//   groups too, explain_group(reactor, group, now, options); budgets, explain_budget(...); for its
//   page, page_part(reactor, asked, now, options).
// The reactor has handle(observation), next_wake(), handed_over().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "api/transport/access.h"
#include "base/disk.h"
#include "control/api_thread.h"
#include "control/observation.h"
#include "control/reactor_thread.h"
#include "control/reports.h"
#include "recording/recording_file.h"

namespace elbowroom::control {

template <class ReactorOptions, class WorkerOptions>
struct DaemonOptions {
  ReactorOptions reactor{};
  WorkerOptions worker{};
  api::Access access{};
  std::string record{};  // the file to record to; "": none
  std::uint64_t record_limit = recording::kUsualRecordLimit;
};

template <class PartsType>
class Wiring {
 public:
  using Observation = typename PartsType::Observation;
  using Effect = typename PartsType::Effect;
  using Effects = typename PartsType::Effects;
  using Status = typename PartsType::Status;
  using Options = typename PartsType::Options;
  using Told = Reports<Observation, Effect, Status>;

  Wiring(Options options, Told reports)
      : options_(std::move(options)),
        reports_(std::move(reports)),
        reactor_(options_, reports_, disk_, kInbox,
                 [this](Effects effects) { api_.worker().perform(std::move(effects)); }),
        api_(options_.access, PartsType::transport_options(options_), reports_, reactor_.inbox(),
             [this](std::unique_ptr<api::Transport> transport, auto tell) {
               return typename PartsType::Worker(std::move(transport), options_.worker,
                                                 reactor_.started(), std::move(tell));
             }) {}
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  // Runs until stop is requested; hands over, within a second where the API server answers; returns
  // when all its threads have ended.
  void run(const std::stop_token& stop) {
    // The thread ends when this scope does: its stop is requested, then it is joined.
    const std::jthread api([this](const std::stop_token& own) { api_.run(own); });
    while (!stop.stop_requested()) reactor_.turn(stop);
    hand_over();
  }

  // From now on this is how the API server is reached. May be called by any thread while run()
  // runs.
  void use(api::Access access) { api_.use(std::move(access)); }

  // Hands the reactor what was seen elsewhere; any thread may. False: too much waits already.
  [[nodiscard]] bool tell(decltype(Observation::what) seen) {
    return reactor_.inbox().try_put(Message<Observation, Status>(std::move(seen)));
  }

  // What the reactor decided about the pod and why, as JSON; "" for a pod that does not wait;
  // nullopt when the reactor did not answer in time. May be called by any thread while run() runs.
  [[nodiscard]] std::optional<std::string> explain(const std::string& pod) {
    return reactor_.explain(pod);
  }

  // The same for a pod group.
  [[nodiscard]] std::optional<std::string> explain_group(const std::string& group) {
    return reactor_.explain_group(group);
  }

  // The same for a disruption budget.
  [[nodiscard]] std::optional<std::string> explain_budget(const std::string& budget) {
    return reactor_.explain_budget(budget);
  }

  // A part of its state, for its page; nullopt as above.
  [[nodiscard]] std::optional<page::PagePart> page_part(page::PageAsked asked) {
    return reactor_.page_part(std::move(asked));
  }

  // How it is; nullopt as above.
  [[nodiscard]] std::optional<Status> check_up() { return reactor_.check_up(); }

 private:
  // See control/reactor_thread.h.
  struct Parts : PartsType {
    using Reports = Told;
    // Not in every round: a burst has thousands.
    static constexpr std::chrono::milliseconds kLookEvery{250};
    static constexpr std::chrono::milliseconds kMeasureSoonest{50};

    static std::string explain(const auto& reactor, const std::string& pod, const Moment& now,
                               const Options& options) {
      return PartsType::explain(reactor, pod, now, options.reactor);
    }
    static std::string explain_group(const auto& reactor, const std::string& group,
                                     const Moment& now, const Options& options)
      requires requires { PartsType::explain_group(reactor, group, now, options.reactor); }
    {
      return PartsType::explain_group(reactor, group, now, options.reactor);
    }
    static std::string explain_budget(const auto& reactor, const std::string& budget,
                                      const Moment& now, const Options& options)
      requires requires { PartsType::explain_budget(reactor, budget, now, options.reactor); }
    {
      return PartsType::explain_budget(reactor, budget, now, options.reactor);
    }
    static page::PagePart page_part(const auto& reactor, const page::PageAsked& asked,
                                    const Moment& now, const Options& options)
      requires requires { PartsType::page_part(reactor, asked, now, options.reactor); }
    {
      return PartsType::page_part(reactor, asked, now, options.reactor);
    }
    static Status status_of(const auto& reactor, const Moment& now, const Options& /*options*/) {
      return PartsType::status_of(reactor, now.since_start);
    }
    static Status totals_of(const auto& reactor, const Moment& now, const Options& options) {
      return status_of(reactor, now, options);
    }
  };

  static constexpr std::size_t kInbox = 4096;
  // For the Lease to be given back; another replica takes it after 15 s at the latest.
  static constexpr std::chrono::seconds kHandOverWithin{3};

  // Nothing of ours is begun any more; the Lease goes back, so that the next one leads at once.
  void hand_over() {
    using Clock = api::Clock;
    const Clock::time_point until = Clock::now() + kHandOverWithin;
    reactor_.handle_alone(StopAsked{});
    const std::stop_token never;
    while (!reactor_.reactor().handed_over() && Clock::now() < until) reactor_.turn(never);
    reactor_.answer_rest();
  }

  Options options_;
  Told reports_;
  const RealDisk disk_{};
  ReactorThread<Parts> reactor_;
  ApiThread<Parts> api_;
};

}  // namespace elbowroom::control
