#include "agent/program/wiring.h"

#include <thread>
#include <utility>

#include "agent/checkpoint/state_lock.h"
#include "agent/explain.h"
#include "agent/page_part.h"
#include "agent/write/event_table.h"
#include "control/reports.h"
#include "recording/record_limit.h"

namespace elbowroom::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kInbox = 1024;
// A kubelet may appear while we run.
constexpr std::chrono::seconds kLookEvery{30};
constexpr std::chrono::milliseconds kLookWithin{500};
constexpr std::chrono::seconds kTellWithin{2};

// The name under which it writes.
std::string program_of(const ReactorOptions& options) {
  return options.kubelet ? "kubelet" : "elbowroomd";
}

using control::say;

}  // namespace

ApiWorker::Options worker_options(const ReactorOptions& of) {
  const bool may_preempt = of.authority && of.critical_preemption.value_or(true);
  return {.node_name = of.node_name,
          .probes_policy = of.authority && !of.critical_preemption,
          .keeps_labels = may_preempt,
          .seed = of.jitter_seed,
          .program = program_of(of)};
}

Result<std::unique_ptr<Agent>> Agent::open(AgentOptions options, AgentReports reports,
                                           const Disk& disk) {
  RETURN_IF_ERROR(recording::check_record(options.record));
  Restored restored;
  Fd state_lock;
  if (options.reactor.authority) {
    // A dry run saves nothing, so it may be tried beside an agent that does.
    if (!options.reactor.dry_run) {
      ASSIGN_OR_RETURN(state_lock, lock_state(options.state_dir));
    }
    using Damaged = CheckpointStore::Damaged;
    restored = CheckpointStore(options.state_dir, disk)
                   .load(options.reactor.dry_run ? Damaged::Leave : Damaged::MoveAside);
    if (!restored.trouble.empty()) say(reports.trouble, restored.trouble);
    if (restored.rebuilt) say(reports.corrupt);
  }
  const bool authority = options.reactor.authority;
  options.reactor.boot = boot_now();
  auto agent = std::unique_ptr<Agent>(
      new Agent(std::move(options), std::move(reports), disk, std::move(restored)));
  agent->state_lock_ = std::move(state_lock);
  if (authority) {
    RuntimeOptions of = agent->options_.runtime;
    const AgentReports& told = agent->reports_;  // lives as long as the worker
    of.called = told.runtime_called;
    of.turned = [&told](std::chrono::nanoseconds worked) { say(told.turned, "runtime", worked); };
    auto runtime = RuntimeWorker::open(std::move(of), agent->reactor_.inbox());
    if (!runtime) return std::unexpected(runtime.error());
    agent->runtime_ = *std::move(runtime);
  }
  return agent;
}

Agent::Agent(AgentOptions options, AgentReports reports, const Disk& disk, Restored restored)
    : options_(std::move(options)),
      reports_(std::move(reports)),
      store_(options_.state_dir, disk),
      reactor_(
          options_, reports_, disk, kInbox,
          [this](Effects effects) {
            for (Effect& effect : effects) perform(std::move(effect));
          },
          std::move(restored.checkpoint), restored.rebuilt),
      api_(options_.access, ApiWorker::transport_options(program_of(options_.reactor)), reports_,
           reactor_.inbox(), [this](std::unique_ptr<api::Transport> transport, auto tell) {
             return ApiWorker(std::move(transport), worker_options(options_.reactor),
                              std::move(tell));
           }) {
  if (options_.kubelet_healthz) kubelet_probe_.emplace(*options_.kubelet_healthz);
}

Agent::~Agent() = default;

void Agent::run(const std::stop_token& stop) {
  // The threads end when this scope does: their stop is requested, then they are joined.
  std::jthread api([this](const std::stop_token& own) { api_.run(own); });
  std::jthread runtime;
  if (runtime_) {
    runtime = std::jthread([this](const std::stop_token& own) {
      runtime_->run(own, [this, &own] {
        say(reports_.alive, "runtime");
        look_for_kubelet(own);
      });
    });
  }
  tell_of_safe_mode();
  say(reports_.changed, reactor_.status());
  while (!stop.stop_requested()) reactor_.turn(stop);
  // Both are asked before any is waited for.
  runtime.request_stop();
  api.request_stop();
}

// On the runtime's thread, which waits for others by nature. What could not be told is seen again.
void Agent::look_for_kubelet(const std::stop_token& stop) {
  if (!kubelet_probe_ || Clock::now() < next_look_) return;
  next_look_ = Clock::now() + kLookEvery;
  auto kubelet = kubelet_probe_->look(kLookWithin);
  if (!kubelet) return;
  static_cast<void>(
      reactor_.inbox().put(Seen(*std::move(kubelet)), stop, Clock::now() + kTellWithin));
}

// The only thing that is written then.
void Agent::tell_of_safe_mode() {
  if (options_.safe_mode.empty() || options_.safe_mode_was_told) return;
  policy::Pod node_as_pod;
  node_as_pod.name = options_.reactor.node_name;
  api_.worker().perform(
      {0, event_of(EventReason::SafeModeEntered, node_as_pod, options_.safe_mode)});
}

void Agent::perform(Effect effect) {
  // It says what it would do in the log; an event would be a write.
  if (options_.reactor.dry_run) return;
  if (const auto* checkpoint = std::get_if<SaveCheckpoint>(&effect.what)) {
    return save(effect.id, *checkpoint);
  }
  if (std::holds_alternative<Actuate>(effect.what)) {
    const EffectId id = effect.id;
    if (runtime_ && runtime_->perform(std::move(effect))) return;
    reactor_.tell_self(Failed{id, {Code::Unavailable, "too many steps wait for the runtime", {}}});
    return;
  }
  api_.worker().perform(std::move(effect));
}

void Agent::save(EffectId id, const SaveCheckpoint& save) {
  const Clock::time_point began = Clock::now();
  auto saved = store_.save(save.checkpoint);
  SaveOutcome outcome{.took = Clock::now() - began, .bytes = saved ? *saved : 0};
  if (!saved) outcome.failure = saved.error().code;
  say(reports_.saved, outcome);
  if (saved) {
    reactor_.tell_self(Done{.effect = id});
  } else {
    reactor_.tell_self(Failed{id, std::move(saved).error()});
  }
}

// ---- parts ----

std::string Parts::explain(const Reactor& reactor, const std::string& pod, const Moment& now,
                           const AgentOptions& options) {
  return agent::explain(reactor, pod, options.reactor, now.wall, options.safe_mode);
}

page::PagePart Parts::page_part(const Reactor& reactor, const page::PageAsked& asked,
                                const Moment& now, const AgentOptions& options) {
  return agent::page_part(reactor, asked, now.wall,
                          idle_because(reactor, options.reactor, options.safe_mode));
}

Snapshot Parts::status_of(const Reactor& reactor, const Moment& /*now*/,
                          const AgentOptions& options) {
  Snapshot now = reactor.snapshot();
  now.safe_mode = !options.safe_mode.empty();
  now.checks.push_back({"crashes", !now.safe_mode, options.safe_mode});
  return now;
}

NodeTotals Parts::totals_of(const Reactor& reactor, const Moment& /*now*/,
                            const AgentOptions& /*options*/) {
  return reactor.figures();
}

}  // namespace elbowroom::agent
