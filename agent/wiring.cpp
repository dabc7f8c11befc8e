#include "agent/wiring.h"

#include <thread>
#include <utility>

#include "agent/event_table.h"
#include "agent/explain.h"
#include "agent/state_lock.h"
#include "control/question.h"
#include "control/reports.h"
#include "recording/record_limit.h"

namespace elbowroom::agent {
namespace {

using Clock = std::chrono::steady_clock;

// The reactor wakes at least this often, so that its watchdog mark advances.
constexpr std::chrono::milliseconds kLongestWait{1000};
constexpr std::chrono::seconds kAnswerWithin{2};
// A kubelet may appear while we run.
constexpr std::chrono::seconds kLookEvery{30};
constexpr std::chrono::milliseconds kLookWithin{500};

// The name under which it writes.
std::string program_of(const ReactorOptions& options) {
  return options.kubelet ? "kubelet" : "elbowroomd";
}
constexpr std::chrono::seconds kInboxPatience{5};
constexpr std::chrono::seconds kMeasureEvery{1};

using control::say;

// `told` lives as long as the transport.
api::TransportOptions transport_options(const ReactorOptions& options, const AgentReports& told) {
  api::TransportOptions of = ApiWorker::transport_options(program_of(options));
  of.called = told.api_called;
  of.worked = [&told](api::Clock::duration worked) { say(told.turned, "api", worked); };
  return of;
}

}  // namespace

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
    auto runtime = RuntimeWorker::open(std::move(of), agent->inbox_);
    if (!runtime) return std::unexpected(runtime.error());
    agent->runtime_ = *std::move(runtime);
  }
  return agent;
}

Agent::Agent(AgentOptions options, AgentReports reports, const Disk& disk, Restored restored)
    : options_(std::move(options)),
      reports_(std::move(reports)),
      store_(options_.state_dir, disk),
      reactor_(options_.reactor, std::move(restored.checkpoint), restored.rebuilt),
      server_([this](const std::string& why) { say(reports_.trouble, why); }),
      api_(std::make_unique<ApiWorker>(
          made_transport(), options_.reactor.node_name,
          options_.reactor.authority && !options_.reactor.critical_preemption,
          [this](Seen seen) { tell(std::move(seen)); }, options_.reactor.jitter_seed,
          program_of(options_.reactor))),
      started_(Clock::now()) {
  if (options_.kubelet_healthz) kubelet_probe_.emplace(*options_.kubelet_healthz);
  if (options_.record.empty()) return;
  recorder_.emplace(options_.record, options_.record_limit, options_.reactor, disk);
}

Agent::~Agent() = default;

// The worker owns it; how it reaches the server can be changed while it runs.
std::unique_ptr<api::Transport> Agent::made_transport() {
  return server_.made(options_.access, transport_options(options_.reactor, reports_));
}

void Agent::use(api::Access access) { server_.use(std::move(access)); }

Moment Agent::now() const {
  return {
      .since_start = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_),
      .wall = std::chrono::time_point_cast<std::chrono::microseconds>(
          std::chrono::system_clock::now())};
}

void Agent::run(const std::stop_token& stop) {
  // The threads end when this scope does: their stop is requested, then they are joined.
  std::jthread api([this](const std::stop_token& own) {
    api_stop_ = own;
    api_->run(own, [this] {
      say(reports_.alive, "api");
      const ApiRound round = api_->round();
      if (reports_.followed) reports_.followed(round);
      for (const std::string& each : api_->take_news()) say(reports_.noticed, each);
      server_.look(round.nodes);
    });
  });
  std::jthread runtime;
  if (runtime_) {
    runtime = std::jthread([this](const std::stop_token& own) {
      runtime_->run(own, [this, &own] {
        say(reports_.alive, "runtime");
        look_for_kubelet(own);
      });
    });
  }
  react(stop);
  // Both are asked before any is waited for.
  runtime.request_stop();
  api.request_stop();
}

// On the runtime's thread, which waits for others by nature. What could not be told is seen again.
void Agent::look_for_kubelet(const std::stop_token& stop) {
  if (!kubelet_probe_ || Clock::now() < next_look_) return;
  next_look_ = Clock::now() + kLookEvery;
  auto kubelet = kubelet_probe_->look(kLookWithin);
  if (kubelet) (void)inbox_.put(Seen(*std::move(kubelet)), stop, Clock::now() + kAnswerWithin);
}

// On the API's thread. Never dropped: where the reactor takes nothing, its own watchdog says so.
void Agent::tell(Seen seen) {
  Message value(std::move(seen));
  while (!api_stop_.stop_requested()) {
    // A box that did not take the value has left it whole.
    // NOLINTNEXTLINE(bugprone-use-after-move): see put() in base/mailbox.h
    if (inbox_.put(std::move(value), api_stop_, Clock::now() + kInboxPatience)) return;
  }
}

// The only thing that is written then.
void Agent::tell_of_safe_mode() {
  if (options_.safe_mode.empty() || options_.safe_mode_was_told) return;
  policy::Pod node_as_pod;
  node_as_pod.name = options_.reactor.node_name;
  api_->perform({0, event_of(EventReason::SafeModeEntered, node_as_pod, options_.safe_mode)});
}

Snapshot Agent::snapshot() const {
  Snapshot now = reactor_.snapshot();
  now.safe_mode = !options_.safe_mode.empty();
  now.checks.push_back({"crashes", !now.safe_mode, options_.safe_mode});
  return now;
}

void Agent::react(const std::stop_token& stop) {
  tell_of_safe_mode();
  say(reports_.changed, snapshot());
  std::optional<Message> next;  // taken already
  std::size_t together = 0;
  while (!stop.stop_requested()) {
    say(reports_.alive, "reactor");
    measure();
    if (!at_hand_.empty()) {
      Seen seen = std::move(at_hand_.front());
      at_hand_.pop_front();
      handle(std::move(seen), false);
      continue;
    }
    std::chrono::milliseconds wait = kLongestWait;
    if (const auto wake = reactor_.next_wake()) {
      wait = std::clamp(*wake - now().since_start, std::chrono::milliseconds(0), kLongestWait);
    }
    std::optional<Message> taken = std::exchange(next, std::nullopt);
    if (!taken) taken = inbox_.take(stop, Clock::now() + wait);
    if (!taken) {
      const auto wake = reactor_.next_wake();
      if (wake && now().since_start >= *wake) handle(TimePassed{}, false);
      continue;
    }
    if (auto* question = std::get_if<Question>(&*taken)) {
      question->answer.set_value(agent::explain(reactor_, question->pod, options_.reactor,
                                                now().wall, options_.safe_mode));
    } else if (auto* checkup = std::get_if<Checkup>(&*taken)) {
      checkup->answer.set_value(snapshot());
    } else {
      next = inbox_.try_take();
      const bool more = next && std::holds_alternative<Seen>(*next) && ++together < kMostTogether;
      if (!more) together = 0;
      handle(std::move(std::get<Seen>(*taken)), more);
    }
  }
}

// A burst costs one decision for what is at hand together, not one for each event of it.
void Agent::handle(Seen seen, bool more) {
  const Clock::time_point began = Clock::now();
  const Observation observation{.at = now(), .what = std::move(seen), .more = more};
  say(reports_.observed, observation);
  if (recorder_) recorder_->seen(reactor_, observation);
  Effects effects = reactor_.handle(observation);
  if (recorder_) recorder_->did(effects);
  note_recording();
  for (Effect& effect : effects) perform(std::move(effect));
  if (!more) say(reports_.changed, snapshot());
  say(reports_.turned, "reactor", Clock::now() - began);
}

void Agent::measure() {
  if (!reports_.measured || Clock::now() < measure_at_) return;
  measure_at_ = Clock::now() + kMeasureEvery;
  reports_.measured(reactor_.figures());
}

// A recording that stopped is told once, and the agent goes on without it.
void Agent::note_recording() {
  if (!recorder_ || recorder_->trouble().empty()) return;
  say(reports_.trouble, "the recording stops: " + recorder_->trouble());
  recorder_.reset();
  if (reports_.recording_stopped) reports_.recording_stopped();
}

void Agent::perform(Effect effect) {
  say(reports_.performed, effect);
  // It says what it would do in the log; an event would be a write.
  if (options_.reactor.dry_run) return;
  if (const auto* checkpoint = std::get_if<SaveCheckpoint>(&effect.what)) {
    return save(effect.id, *checkpoint);
  }
  if (std::holds_alternative<Actuate>(effect.what)) {
    const EffectId id = effect.id;
    if (runtime_ && runtime_->perform(std::move(effect))) return;
    at_hand_.emplace_back(
        Failed{id, {Code::Unavailable, "too many steps wait for the runtime", {}}});
    return;
  }
  api_->perform(std::move(effect));
}

void Agent::save(EffectId id, const SaveCheckpoint& save) {
  // On this thread: what depends on it must not begin before, and it takes milliseconds.
  const Clock::time_point began = Clock::now();
  auto saved = store_.save(save.checkpoint);
  SaveOutcome outcome{.took = Clock::now() - began, .bytes = saved ? *saved : 0};
  if (!saved) outcome.failure = saved.error().code;
  say(reports_.saved, outcome);
  if (saved) {
    at_hand_.emplace_back(Done{.effect = id});
  } else {
    at_hand_.emplace_back(Failed{id, std::move(saved).error()});
  }
}

std::optional<std::string> Agent::explain(const std::string& pod) {
  return control::ask<std::string>(inbox_, Question{.pod = pod});
}

std::optional<Snapshot> Agent::check_up() { return control::ask<Snapshot>(inbox_, Checkup{}); }

}  // namespace elbowroom::agent
