#include "lab/virtual/virtual_agent.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "agent/program/wiring.h"

namespace elbowroom::lab {
namespace {

constexpr std::chrono::milliseconds kCallTakes{2};
constexpr std::chrono::milliseconds kPollEvery{1000};
constexpr std::size_t kMostSteps = 128;  // as large as the runtime worker's mailbox

decltype(agent::Observation::what) answer_of(
    agent::EffectId id, const agent::Actuate& actuate,
    const Result<std::optional<cri::RuntimeResources>>& outcome) {
  if (outcome) return agent::Done{.effect = id, .size = *outcome};
  return agent::Failed{.effect = id, .error = outcome.error().with("pod " + actuate.pod)};
}

agent::Restored load(const VirtualAgent::Place& place, const agent::ReactorOptions& options,
                     const VirtualAgentReports& reports) {
  if (!options.authority) return {};
  agent::Restored restored =
      agent::CheckpointStore(std::string(kVirtualStateDir), place.disk).load();
  if (reports.restored) reports.restored(restored);
  return restored;
}

}  // namespace

std::string virtual_checkpoint_path() { return std::string(kVirtualStateDir) + "/allocations"; }

VirtualAgent::VirtualAgent(const Place& place, const agent::ReactorOptions& options,
                           const VirtualAgentReports& reports, std::uint64_t seed)
    : VirtualAgent(place, options, reports, seed, load(place, options, reports)) {}

VirtualAgent::VirtualAgent(Place place, agent::ReactorOptions options, VirtualAgentReports reports,
                           std::uint64_t seed, agent::Restored restored)
    : place_(place),
      options_(std::move(options)),
      reports_(std::move(reports)),
      store_(std::string(kVirtualStateDir), place.disk),
      reactor_(options_, std::move(restored.checkpoint), restored.rebuilt),
      started_(place.clock.now),
      next_poll_(place.clock.now) {
  connect(seed);
}

void VirtualAgent::connect(std::uint64_t seed) {
  if (place_.latency == Latency::None) {
    line_.emplace(
        place_.world, place_.pods,
        InstantAgentLine::Options{.node_name = options_.node_name, .is_kubelet = options_.kubelet},
        [this](Seen seen) { handle_through(std::move(seen)); });
    return;
  }
  auto transport = std::make_unique<VirtualTransport>(
      VirtualTransport::Place{place_.world, place_.service, place_.clock, place_.wall_off},
      agent::ApiWorker::transport_options(), seed);
  transport_ = transport.get();
  agent::ApiWorker::Options of = agent::worker_options(options_);
  of.seed = seed;
  api_ = std::make_unique<agent::ApiWorker>(std::move(transport), std::move(of), [this](Seen seen) {
    inbox_.push_back(std::move(seen));
  });
  api_->start();
}

agent::Moment VirtualAgent::moment() const {
  return {.since_start = std::chrono::floor<std::chrono::milliseconds>(place_.clock.now - started_),
          .wall = place_.clock.wall + place_.wall_off};
}

// ---- schedule ----

std::optional<VirtualClock::Steady::time_point> VirtualAgent::poll_due() const {
  if (!options_.authority || answer_) return std::nullopt;
  const bool changed = reported_version_ != place_.node.runtime_version();
  if (line_) return changed ? std::optional(place_.clock.now) : std::nullopt;
  if (is_down()) return runtime_trouble_.empty() ? std::optional(next_poll_) : down_until_;
  return changed ? std::optional(next_poll_) : std::nullopt;
}

std::optional<VirtualClock::Steady::time_point> VirtualAgent::next_due() const {
  const Steady::time_point now = place_.clock.now;
  if (crashed_ || !at_hand_.empty() || !inbox_.empty()) return now;
  if (line_ && (!has_settled_ || line_->is_behind())) return now;
  std::optional<Steady::time_point> least;
  if (transport_ != nullptr) least = transport_->next_due();
  const auto consider = [&](std::optional<Steady::time_point> at) {
    if (at && (!least || *at < *least)) least = at;
  };
  if (answer_) consider(answer_->due);
  if (!answer_ && !steps_.empty()) consider(now);
  consider(poll_due());
  if (const auto wake = reactor_.next_wake()) consider(started_ + *wake);
  if (least) least = std::max(*least, now);
  return least;
}

bool VirtualAgent::is_quiet() const {
  return !crashed_ && at_hand_.empty() && inbox_.empty() && steps_.empty() && !answer_ &&
         !poll_due() && !reactor_.next_wake() && reactor_.state().api_trouble.empty() &&
         (line_ ? has_settled_ && !line_->is_behind() : transport_->is_idle());
}

// ---- steps ----

void VirtualAgent::step() {
  if (crashed_) return;
  const Steady::time_point now = place_.clock.now;
  for (std::deque<Seen>* box : {&at_hand_, &inbox_}) {
    if (box->empty()) continue;
    Seen seen = std::move(box->front());
    box->pop_front();
    return handle(std::move(seen));
  }
  if (const auto due = transport_->next_due(); due && *due <= now) {
    return transport_->run_once(Steady::duration::zero());
  }
  if (answer_ && answer_->due <= now) {
    inbox_.push_back(std::move(answer_->what));
    answer_.reset();
    reported_version_.reset();  // the next poll reports everything it sees
    return;
  }
  if (!answer_ && !steps_.empty()) {
    const agent::Effect effect = std::move(steps_.front());
    steps_.pop_front();
    return perform_on_runtime(effect);
  }
  if (const auto due = poll_due(); due && *due <= now) return poll();
  const auto wake = reactor_.next_wake();
  if (wake && moment().since_start >= *wake) handle(agent::TimePassed{});
}

bool VirtualAgent::settle() {
  const bool is_first = !std::exchange(has_settled_, true);
  const auto poll_now = [this] {
    if (!poll_due()) return false;
    reported_version_ = place_.node.runtime_version();
    handle_through(place_.node.runtime());
    return true;
  };
  bool any = !is_first && poll_now();
  any = line_->look() || any;
  if (is_first) (void)poll_now();
  if (any) return true;
  const auto wake = reactor_.next_wake();
  if (!wake || moment().since_start < *wake) return false;
  handle_through(agent::TimePassed{});
  return true;
}

// Also handles what is reported of its effects, in their order.
void VirtualAgent::handle_through(Seen seen) {
  at_hand_.push_back(std::move(seen));
  while (!crashed_ && !at_hand_.empty()) {
    Seen next = std::move(at_hand_.front());
    at_hand_.pop_front();
    handle(std::move(next));
  }
}

void VirtualAgent::handle(Seen seen) {
  const bool more = !inbox_.empty() && at_hand_.empty() && ++together_ < agent::kMostTogether;
  if (!more) together_ = 0;
  const agent::Observation observation{.at = moment(), .what = std::move(seen), .more = more};
  if (reports_.observed) reports_.observed(observation);
  agent::Effects effects = reactor_.handle(observation);
  if (reports_.decided) {
    for (const agent::Effect& effect : effects) reports_.decided(effect);
  }
  for (agent::Effect& effect : effects) {
    const bool crashes = crash_at_ && crash_at_->effect == 0;
    if (crash_at_ && !crashes) --crash_at_->effect;
    crashed_ = crashes;
    if (crashes && !crash_at_->after) return;
    perform(effect);
    if (crashes) return;
  }
}

void VirtualAgent::perform(agent::Effect& effect) {
  if (reports_.performing) reports_.performing(effect);
  if (const auto* save = std::get_if<agent::SaveCheckpoint>(&effect.what)) {
    if (auto saved = store_.save(save->checkpoint)) {
      at_hand_.emplace_back(agent::Done{.effect = effect.id});
    } else {
      at_hand_.emplace_back(agent::Failed{effect.id, std::move(saved).error()});
    }
  } else if (line_) {
    perform_at_once(effect);
  } else if (std::holds_alternative<agent::Actuate>(effect.what)) {
    const agent::EffectId id = effect.id;
    if (options_.authority && steps_.size() < kMostSteps) {
      steps_.push_back(std::move(effect));
    } else {
      at_hand_.emplace_back(
          agent::Failed{id, {Code::Unavailable, "too many steps wait for the runtime", {}}});
    }
  } else {
    api_->perform(std::move(effect));
  }
}

void VirtualAgent::perform_at_once(const agent::Effect& effect) {
  if (std::holds_alternative<agent::EmitEvent>(effect.what)) return;  // only reported
  if (const auto* actuate = std::get_if<agent::Actuate>(&effect.what)) {
    at_hand_.push_back(answer_of(effect.id, *actuate, place_.node.perform(*actuate)));
  } else if (const auto* read = std::get_if<agent::ReadBudgets>(&effect.what)) {
    auto budgets = line_->read(*read);
    if (budgets) {
      budgets->effect = effect.id;
      at_hand_.emplace_back(*std::move(budgets));
    } else {
      at_hand_.emplace_back(agent::Failed{effect.id, std::move(budgets).error()});
    }
  } else if (auto written = line_->perform(effect)) {
    at_hand_.emplace_back(agent::Done{.effect = effect.id});
  } else {
    at_hand_.emplace_back(agent::Failed{effect.id, std::move(written).error()});
  }
}

void VirtualAgent::arm(const RuntimeFault& fault) {
  if (fault.kind != RuntimeFault::Kind::Restart) {
    faults_.push_back(fault);
    return;
  }
  if (reports_.met) reports_.met(fault);
  down_until_ = place_.clock.now + fault.delay;
}

void VirtualAgent::disarm() { faults_.clear(); }

void VirtualAgent::perform_on_runtime(const agent::Effect& effect) {
  const auto& actuate = std::get<agent::Actuate>(effect.what);
  Steady::duration takes = kCallTakes;
  Result<std::optional<cri::RuntimeResources>> outcome{};
  if (is_down()) {
    outcome = failure(Code::Unavailable, "the runtime does not answer");
  } else if (faults_.empty()) {
    outcome = place_.node.perform(actuate);
  } else {
    const RuntimeFault fault = faults_.front();
    faults_.pop_front();
    if (reports_.met) reports_.met(fault);
    takes += fault.delay;
    const bool applies =
        fault.kind == RuntimeFault::Kind::Late || fault.kind == RuntimeFault::Kind::AppliedButError;
    if (applies) outcome = place_.node.perform(actuate);
    if (fault.kind == RuntimeFault::Kind::NotApplied) outcome = place_.node.size_of(actuate);
    const bool fails =
        fault.kind == RuntimeFault::Kind::Hang || fault.kind == RuntimeFault::Kind::AppliedButError;
    if (fails) outcome = failure(Code::Unavailable, "the runtime did not answer in time");
  }
  answer_ = Answer{.due = place_.clock.now + takes, .what = answer_of(effect.id, actuate, outcome)};
}

void VirtualAgent::poll() {
  const Steady::time_point now = place_.clock.now;
  while (next_poll_ <= now) next_poll_ += kPollEvery;
  if (is_down()) {
    reported_version_.reset();
    runtime_trouble_ = "the runtime does not answer";
    inbox_.emplace_back(agent::RuntimeLost{runtime_trouble_});
    return;
  }
  runtime_trouble_.clear();
  reported_version_ = place_.node.runtime_version();
  inbox_.emplace_back(place_.node.runtime());
}

}  // namespace elbowroom::lab
