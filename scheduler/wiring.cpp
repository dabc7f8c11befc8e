#include "scheduler/wiring.h"

#include <algorithm>
#include <thread>
#include <type_traits>
#include <utility>

#include "scheduler/explain.h"

namespace elbowroom::scheduler {
namespace {

using Clock = api::Clock;

// The reactor wakes at least this often, so that its watchdog mark advances.
constexpr std::chrono::milliseconds kLongestWait{1000};
constexpr std::chrono::seconds kAnswerWithin{2};
constexpr std::chrono::seconds kInboxPatience{5};
// What comes in bursts is handed over in bursts, from thread to thread: each wakes the other once.
constexpr std::size_t kMostToldAtOnce = 256;
constexpr int kMostHandledAtOnce = 64;
// Figures that are a second old say of a burst only that it is over; but looking costs the more the
// more pods wait, and takes at most a hundredth of the time.
constexpr std::chrono::milliseconds kMeasureSoonest{50};
constexpr std::chrono::seconds kMeasureLatest{1};
constexpr int kMeasureShare = 100;
constexpr std::chrono::milliseconds kLookAroundEvery{250};
// For the Lease to be given back; whoever waits for it takes it after 15 s at the latest.
constexpr std::chrono::seconds kHandOverWithin{3};

// Calls what is there.
template <class... Args>
void say(const std::function<void(Args...)>& report, std::type_identity_t<Args>... args) {
  if (report) report(args...);
}

}  // namespace

Scheduler::Scheduler(SchedulerOptions options, SchedulerReports reports)
    : options_(std::move(options)),
      reports_(std::move(reports)),
      reactor_(options_.reactor),
      worker_(made_transport(), options_.worker, started_,
              [this](Seen seen) { tell(std::move(seen)); }),
      version_look_(*transport_, [this](const std::string& why) { say(reports_.trouble, why); }) {
  if (options_.record.empty()) return;
  recorder_.emplace(options_.record, options_.record_limit, options_.reactor, disk_);
}

Scheduler::~Scheduler() = default;

// The worker owns it; how it reaches the server can be changed while it runs.
std::unique_ptr<api::Transport> Scheduler::made_transport() {
  api::TransportOptions of = ApiWorker::transport_options(options_.worker.places);
  of.called = reports_.api_called;
  of.waits = [this] { hand_on(); };
  of.worked = [this](Clock::duration worked) { say(reports_.turned, "api", worked); };
  auto made = std::make_unique<api::CurlTransport>(options_.access, std::move(of));
  transport_ = made.get();
  return made;
}

void Scheduler::use(api::Access access) {
  transport_->post([this, access = std::move(access)] { transport_->use(access); });
}

// Not in every round: a burst has thousands.
void Scheduler::look_around() {
  const Clock::time_point now = Clock::now();
  if (now < look_around_at_) return;
  look_around_at_ = now + kLookAroundEvery;
  const ApiRound round = worker_.round();
  if (reports_.followed) reports_.followed(round);
  for (const std::string& each : worker_.take_news()) say(reports_.noticed, each);
  tell_of_credentials();
  version_look_.look(round.nodes);
}

// Said once, and again when it is another one.
void Scheduler::tell_of_credentials() {
  const auto problem = transport_->credential_problem();
  const std::string now = problem ? problem->message : "";
  if (now != credential_problem_ && !now.empty()) say(reports_.trouble, "credentials: " + now);
  credential_problem_ = now;
}

Moment Scheduler::now() const {
  return {
      .since_start = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_),
      .wall = std::chrono::time_point_cast<std::chrono::microseconds>(
          std::chrono::system_clock::now())};
}

void Scheduler::run(const std::stop_token& stop) {
  // The thread ends when this scope does: its stop is requested, then it is joined.
  const std::jthread api([this](const std::stop_token& own) {
    api_stop_ = own;
    api::Ticket later;  // a look that came too soon is made up for
    bool is_set = false;
    worker_.run(own, [&] {
      say(reports_.alive, "api");
      const Clock::duration left = look_around_at_ - Clock::now();
      if (left > Clock::duration::zero() && !std::exchange(is_set, true)) {
        later = transport_->after(left, [&is_set] { is_set = false; });
      }
      look_around();
    });
    // What happened last is told too.
    look_around_at_ = {};
    look_around();
  });
  react(stop);
  hand_over();
}

// On the API's thread.
void Scheduler::tell(Seen seen) {
  if (api_stop_.stop_requested()) return;  // the reactor has ended; the last events are written
  if (const auto* odd = std::get_if<Unreadable>(&seen)) say(reports_.unreadable, *odd);
  told_.emplace_back(std::move(seen));
  if (told_.size() >= kMostToldAtOnce) hand_on();
}

// On the API's thread. Never dropped: where the reactor takes nothing, its own watchdog says so.
void Scheduler::hand_on() {
  while (!told_.empty() && !api_stop_.stop_requested()) {
    static_cast<void>(inbox_.put_all(told_, api_stop_, Clock::now() + kInboxPatience));
  }
}

void Scheduler::react(const std::stop_token& stop) {
  while (!stop.stop_requested()) turn(stop);
}

// Nothing of ours is begun any more; the Lease goes back, so that the next one leads at once.
void Scheduler::hand_over() {
  const Clock::time_point until = Clock::now() + kHandOverWithin;
  handle(StopAsked{});
  perform();
  const std::stop_token never;
  while (!reactor_.handed_over() && Clock::now() < until) turn(never);
  // Whoever asked meanwhile is not left to wait for an answer that never comes.
  while (auto left = inbox_.try_take()) static_cast<void>(answer(*left));
}

// False: it was no question.
bool Scheduler::answer(Incoming& asked) {
  if (auto* question = std::get_if<Question>(&asked)) {
    question->answer.set_value(
        scheduler::explain(reactor_, question->pod, now(), options_.reactor.dry_run));
  } else if (auto* checkup = std::get_if<Checkup>(&asked)) {
    checkup->answer.set_value(standing());
  } else {
    return false;
  }
  return true;
}

void Scheduler::turn(const std::stop_token& stop) {
  say(reports_.alive, "reactor");
  measure();
  std::chrono::milliseconds wait = kLongestWait;
  if (const auto wake = reactor_.next_wake()) {
    wait = std::clamp(*wake - now().since_start, std::chrono::milliseconds(0), kLongestWait);
  }
  Clock::time_point until = Clock::now() + wait;
  if (reports_.measured && !is_measured_) until = std::min(until, measure_at_);
  auto taken = inbox_.take(stop, until);
  if (!taken) {
    const auto wake = reactor_.next_wake();
    if (wake && now().since_start >= *wake) handle(TimePassed{});
    return perform();
  }
  for (int left = kMostHandledAtOnce; taken;
       taken = --left > 0 ? inbox_.try_take() : std::nullopt) {
    if (!answer(*taken)) handle(std::move(std::get<Seen>(*taken)));
  }
  perform();
}

void Scheduler::handle(Seen seen) {
  is_measured_ = false;
  const Clock::time_point began = Clock::now();
  Observation observation{now(), std::move(seen)};
  say(reports_.observed, observation);
  if (recorder_) recorder_->seen(observation);
  const std::uint64_t turns_before = reactor_.counts().all_turns();
  Effects effects = reactor_.handle(std::move(observation));
  if (recorder_) recorder_->did(effects);
  note_recording();
  if (const std::uint64_t turns = reactor_.counts().all_turns() - turns_before; turns > 0) {
    say(reports_.judged, turns, Clock::now() - began);
  }
  for (Effect& effect : effects) {
    say(reports_.performed, effect);
    effects_.push_back(std::move(effect));
  }
  say(reports_.turned, "reactor", Clock::now() - began);
}

void Scheduler::perform() {
  if (!effects_.empty()) worker_.perform(std::exchange(effects_, {}));
}

SchedulerStatus Scheduler::standing() const {
  return scheduler_status_of(reactor_, now().since_start);
}

// A recording that stopped is told once, and the scheduler goes on without it.
void Scheduler::note_recording() {
  if (!recorder_ || recorder_->trouble().empty()) return;
  say(reports_.trouble, "the recording stops: " + recorder_->trouble());
  recorder_.reset();
  if (reports_.recording_stopped) reports_.recording_stopped();
}

void Scheduler::measure() {
  const Clock::time_point began = Clock::now();
  if (!reports_.measured || began < measure_at_) return;
  reports_.measured(standing());
  const Clock::time_point done = Clock::now();
  measure_at_ = done + std::clamp<Clock::duration>(kMeasureShare * (done - began), kMeasureSoonest,
                                                   kMeasureLatest);
  is_measured_ = true;
}

template <class Answer, class Ask>
std::optional<Answer> Scheduler::ask(Ask question) {
  std::future<Answer> answer = question.answer.get_future();
  const std::stop_token never;
  if (!inbox_.put(std::move(question), never, Clock::now() + kAnswerWithin)) return std::nullopt;
  if (answer.wait_for(kAnswerWithin) != std::future_status::ready) return std::nullopt;
  return answer.get();
}

std::optional<std::string> Scheduler::explain(const std::string& pod) {
  return ask<std::string>(Question{.pod = pod});
}

std::optional<SchedulerStatus> Scheduler::check_up() { return ask<SchedulerStatus>(Checkup{}); }

}  // namespace elbowroom::scheduler
