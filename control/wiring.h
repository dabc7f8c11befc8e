// One leader-elected daemon, put together: the reactor on its own thread, the API's beside it.
// These are all its threads, and they exchange values through the inbox only.
//
// Parts are what it is put together of:
//   types Observation, Effect, Effects, Reactor, Status, Recording, Worker (a control::ApiWorker);
//   Options, with reactor, worker, access, record, record_limit;
//   static functions transport_options(options), explain(reactor, pod, now, options),
//   status_of(reactor, now), turns(reactor), how many decisions it has made.
// The reactor has handle(observation), next_wake(), handed_over().
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "api/transport/access.h"
#include "base/disk.h"
#include "base/mailbox.h"
#include "control/observation.h"
#include "control/question.h"
#include "control/reports.h"
#include "control/server_access.h"
#include "recording/recorder.h"
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

template <class Parts>
class Wiring {
 public:
  using Observation = typename Parts::Observation;
  using Effect = typename Parts::Effect;
  using Effects = typename Parts::Effects;
  using Status = typename Parts::Status;
  using Options = typename Parts::Options;
  using Told = Reports<Observation, Effect, Status>;

  Wiring(Options options, Told reports)
      : options_(std::move(options)),
        reports_(std::move(reports)),
        reactor_(options_.reactor),
        worker_(server_.made(options_.access, transport_options()), options_.worker, started_,
                [this](Seen seen) { tell(std::move(seen)); }) {
    if (options_.record.empty()) return;
    recorder_.emplace(options_.record, options_.record_limit, options_.reactor, disk_);
  }
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  // Runs until stop is requested; hands over, within a second where the API server answers; returns
  // when all its threads have ended.
  void run(const std::stop_token& stop) {
    // The thread ends when this scope does: its stop is requested, then it is joined.
    const std::jthread api([this](const std::stop_token& own) { follow(own); });
    while (!stop.stop_requested()) turn(stop);
    hand_over();
  }

  // From now on this is how the API server is reached. May be called by any thread while run()
  // runs.
  void use(api::Access access) { server_.use(std::move(access)); }

  // What the reactor decided about the pod and why, as JSON; "" for a pod that does not wait;
  // nullopt when the reactor did not answer in time. May be called by any thread while run() runs.
  [[nodiscard]] std::optional<std::string> explain(const std::string& pod) {
    return ask<std::string>(inbox_, Question{.pod = pod});
  }

  // How it is; nullopt as above.
  [[nodiscard]] std::optional<Status> check_up() { return ask<Status>(inbox_, Checkup<Status>{}); }

 private:
  using Clock = api::Clock;
  using Seen = decltype(Observation::what);
  using Incoming = std::variant<Seen, Question, Checkup<Status>>;

  // The reactor wakes at least this often, so that its watchdog mark advances.
  static constexpr std::chrono::milliseconds kLongestWait{1000};
  static constexpr std::chrono::seconds kInboxPatience{5};
  // What comes in bursts is handed over in bursts, from thread to thread: each wakes the other
  // once.
  static constexpr std::size_t kMostToldAtOnce = 256;
  static constexpr int kMostHandledAtOnce = 64;
  // Figures that are a second old say of a burst only that it is over; but looking costs the more
  // the more pods wait, and takes at most a hundredth of the time.
  static constexpr std::chrono::milliseconds kMeasureSoonest{50};
  static constexpr std::chrono::seconds kMeasureLatest{1};
  static constexpr int kMeasureShare = 100;
  static constexpr std::chrono::milliseconds kLookAroundEvery{250};
  // For the Lease to be given back; another replica takes it after 15 s at the latest.
  static constexpr std::chrono::seconds kHandOverWithin{3};

  // ---- on the API's thread ----

  api::TransportOptions transport_options() {
    api::TransportOptions of = Parts::transport_options(options_);
    of.called = reports_.api_called;
    of.waits = [this] { hand_on(); };
    of.worked = [this](Clock::duration worked) { say(reports_.turned, "api", worked); };
    return of;
  }

  void follow(const std::stop_token& own) {
    api_stop_ = own;
    api::Ticket later;  // a look that came too soon is made up for
    bool is_set = false;
    worker_.run(own, [&] {
      say(reports_.alive, "api");
      const Clock::duration left = look_around_at_ - Clock::now();
      if (left > Clock::duration::zero() && !std::exchange(is_set, true)) {
        later = server_.transport().after(left, [&is_set] { is_set = false; });
      }
      look_around();
    });
    // The last events are reported too.
    look_around_at_ = {};
    look_around();
  }

  // Not in every round: a burst has thousands.
  void look_around() {
    const Clock::time_point now = Clock::now();
    if (now < look_around_at_) return;
    look_around_at_ = now + kLookAroundEvery;
    const ApiRound round = worker_.round();
    say(reports_.followed, round);
    for (const std::string& each : worker_.take_news()) say(reports_.noticed, each);
    server_.look(round.freshness(0));
  }

  void tell(Seen seen) {
    if (api_stop_.stop_requested()) return;  // the reactor has ended; the last events are written
    if (const auto* odd = std::get_if<Unreadable>(&seen)) say(reports_.unreadable, *odd);
    told_.emplace_back(std::move(seen));
    if (told_.size() >= kMostToldAtOnce) hand_on();
  }

  // Never dropped: where the reactor takes nothing, its own watchdog says so.
  void hand_on() {
    while (!told_.empty() && !api_stop_.stop_requested()) {
      static_cast<void>(inbox_.put_all(told_, api_stop_, Clock::now() + kInboxPatience));
    }
  }

  // ---- on the reactor's thread ----

  [[nodiscard]] Moment now() const {
    using std::chrono::system_clock;
    return {.since_start =
                std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_),
            .wall = std::chrono::time_point_cast<std::chrono::microseconds>(system_clock::now())};
  }

  // Nothing of ours is begun any more; the Lease is given back, so that the next replica leads at
  // once.
  void hand_over() {
    const Clock::time_point until = Clock::now() + kHandOverWithin;
    handle(StopAsked{});
    perform();
    const std::stop_token never;
    while (!reactor_.handed_over() && Clock::now() < until) turn(never);
    // Questions that came meanwhile do not wait for an answer that never comes.
    while (auto left = inbox_.try_take()) static_cast<void>(answer(*left));
  }

  // False: it was no question.
  [[nodiscard]] bool answer(Incoming& asked) {
    if (auto* question = std::get_if<Question>(&asked)) {
      question->answer.set_value(Parts::explain(reactor_, question->pod, now(), options_.reactor));
    } else if (auto* checkup = std::get_if<Checkup<Status>>(&asked)) {
      checkup->answer.set_value(status());
    } else {
      return false;
    }
    return true;
  }

  void turn(const std::stop_token& stop) {
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

  void handle(Seen seen) {
    is_measured_ = false;
    const Clock::time_point began = Clock::now();
    Observation observation{now(), std::move(seen)};
    say(reports_.observed, observation);
    if (recorder_) recorder_->seen(reactor_, observation);
    const std::uint64_t turns_before = Parts::turns(reactor_);
    Effects effects = reactor_.handle(std::move(observation));
    if (recorder_) recorder_->did(effects);
    note_recording();
    if (const std::uint64_t turns = Parts::turns(reactor_) - turns_before; turns > 0) {
      say(reports_.judged, turns, Clock::now() - began);
    }
    for (Effect& effect : effects) {
      say(reports_.performed, effect);
      effects_.push_back(std::move(effect));
    }
    say(reports_.turned, "reactor", Clock::now() - began);
  }

  void perform() {
    if (!effects_.empty()) worker_.perform(std::exchange(effects_, {}));
  }

  [[nodiscard]] Status status() const { return Parts::status_of(reactor_, now().since_start); }

  // A recording that stopped is reported once, and the daemon continues without it.
  void note_recording() {
    if (!recorder_ || recorder_->trouble().empty()) return;
    say(reports_.trouble, "the recording stops: " + recorder_->trouble());
    recorder_.reset();
    say(reports_.recording_stopped);
  }

  void measure() {
    const Clock::time_point began = Clock::now();
    if (!reports_.measured || began < measure_at_) return;
    reports_.measured(status());
    const Clock::time_point done = Clock::now();
    measure_at_ = done + std::clamp<Clock::duration>(kMeasureShare * (done - began),
                                                     kMeasureSoonest, kMeasureLatest);
    is_measured_ = true;
  }

  Options options_;
  Told reports_;
  Mailbox<Incoming> inbox_{4096};
  std::deque<Incoming> told_{};  // in this round of the API's thread, which alone looks at it
  Effects effects_{};            // of this turn
  typename Parts::Reactor reactor_;
  const RealDisk disk_{};
  std::optional<recording::Recorder<typename Parts::Recording>> recorder_{};
  const Clock::time_point started_ = Clock::now();
  std::stop_token api_stop_{};  // of the API's thread, which alone looks at it
  ServerAccess server_{[this](const std::string& why) { say(reports_.trouble, why); }};
  typename Parts::Worker worker_;
  Clock::time_point look_around_at_{};  // on the API's thread
  Clock::time_point measure_at_{};
  bool is_measured_ = false;  // what was done last is in the figures
};

}  // namespace elbowroom::control
