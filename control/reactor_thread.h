// The thread of a daemon's reactor: it takes observations and questions from the inbox, records
// them, lets the reactor decide, and reports all of it. A daemon performs the effects.
//
// Parts are
//   types Observation, Effect, Effects, Reactor, Status, Recording, Reports (control/reports.h);
//   Options, with reactor, record, record_limit;
//   static functions explain(reactor, pod, now, options), status_of(reactor, now, options),
//   totals_of(reactor, now, options), what is reported as measured;
//   kMeasureSoonest, the time between two such reports, at least.
// The reactor has handle(observation) and next_wake(). Five things are optional: an Observation's
// `more`, true where another one is at hand; Parts::turns(reactor), how many decisions it has made;
// Parts::explain_group(reactor, group, now, options), and explain_budget(...);
// Parts::page_part(reactor, asked, now, options), without which the page is empty; the report
// `changed`, of the Status after each decision.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include "base/disk.h"
#include "control/inbox.h"
#include "control/observation.h"
#include "control/question.h"
#include "control/reports.h"
#include "recording/recorder.h"

namespace elbowroom::control {

template <class Parts>
class ReactorThread {
 public:
  using Observation = typename Parts::Observation;
  using Effect = typename Parts::Effect;
  using Effects = typename Parts::Effects;
  using Status = typename Parts::Status;
  using Options = typename Parts::Options;
  using Reports = typename Parts::Reports;
  using Reactor = typename Parts::Reactor;
  using Seen = decltype(Observation::what);
  using Clock = std::chrono::steady_clock;
  // Takes the effects of one turn, in their order; on this thread.
  using Perform = std::function<void(Effects)>;

  // `options`, `reports` and `disk` must outlive it. The reactor is made with its options and
  // `restored`. `capacity` is the inbox's.
  template <class... Restored>
  ReactorThread(const Options& options, const Reports& reports, const Disk& disk,
                std::size_t capacity, Perform perform, Restored&&... restored)
      : options_(options),
        reports_(reports),
        perform_(std::move(perform)),
        inbox_(capacity),
        reactor_(options.reactor, std::forward<Restored>(restored)...) {
    if (options.record.empty()) return;
    recorder_.emplace(options.record, options.record_limit, options.reactor, disk);
  }
  ReactorThread(const ReactorThread&) = delete;
  ReactorThread& operator=(const ReactorThread&) = delete;

  // ---- of any thread ----

  [[nodiscard]] Inbox<Observation, Status>& inbox() { return inbox_; }

  // When the reactor's clock was zero.
  [[nodiscard]] Clock::time_point started() const { return started_; }

  // nullopt when the reactor did not answer in time, as in check_up().
  [[nodiscard]] std::optional<std::string> explain(const std::string& pod) {
    return ask<std::string>(inbox_, Question{.pod = pod});
  }
  [[nodiscard]] std::optional<std::string> explain_group(const std::string& group) {
    return ask<std::string>(inbox_, Question{.group = group});
  }
  [[nodiscard]] std::optional<std::string> explain_budget(const std::string& budget) {
    return ask<std::string>(inbox_, Question{.budget = budget});
  }
  [[nodiscard]] std::optional<page::PagePart> page_part(page::PageAsked asked) {
    return ask<page::PagePart>(inbox_, PageQuestion{.asked = std::move(asked)});
  }
  [[nodiscard]] std::optional<Status> check_up() { return ask<Status>(inbox_, Checkup<Status>{}); }

  // ---- of the reactor's thread ----

  [[nodiscard]] const Reactor& reactor() const { return reactor_; }
  [[nodiscard]] Status status() const { return Parts::status_of(reactor_, now(), options_); }

  // What perform() learned at once: it is handled before everything in the inbox.
  void tell_self(Seen seen) { told_self_.push_back(std::move(seen)); }

  // Waits for what comes next, a second at most, handles what is at hand, and performs what was
  // decided.
  void turn(const std::stop_token& stop) {
    say(reports_.alive, "reactor");
    measure();
    if (!told_self_.empty()) {
      Seen seen = std::move(told_self_.front());
      told_self_.pop_front();
      return handle_alone(std::move(seen));
    }
    auto taken = inbox_.take(stop, turn_ends());
    if (!taken) {
      const auto wake = reactor_.next_wake();
      if (wake && now().since_start >= *wake) handle(TimePassed{}, false);
      return perform();
    }
    for (std::size_t left = kMostTogether; taken;) {
      auto next = --left > 0 ? inbox_.try_take() : std::nullopt;
      if (!answer(*taken)) {
        handle(std::move(std::get<Seen>(*taken)), next && std::holds_alternative<Seen>(*next));
      }
      taken = std::move(next);
    }
    perform();
  }

  // Handles an observation that comes from no inbox, and performs what was decided.
  void handle_alone(Seen seen) {
    handle(std::move(seen), false);
    perform();
  }

  // Questions that came at the end do not wait for an answer that never comes.
  void answer_rest() {
    while (auto left = inbox_.try_take()) static_cast<void>(answer(*left));
  }

 private:
  using Incoming = Message<Observation, Status>;

  // The reactor wakes at least this often, so that its watchdog mark advances.
  static constexpr std::chrono::milliseconds kLongestWait{1000};
  // Figures that are a second old say of a burst only that it is over; but looking costs the more
  // the more pods wait, and takes at most a hundredth of the time.
  static constexpr std::chrono::milliseconds kMeasureSoonest = Parts::kMeasureSoonest;
  static constexpr std::chrono::seconds kMeasureLatest{1};
  static constexpr int kMeasureShare = 100;

  [[nodiscard]] Moment now() const {
    using std::chrono::system_clock;
    return {.since_start =
                std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_),
            .wall = std::chrono::time_point_cast<std::chrono::microseconds>(system_clock::now())};
  }

  [[nodiscard]] Clock::time_point turn_ends() const {
    std::chrono::milliseconds wait = kLongestWait;
    if (const auto wake = reactor_.next_wake()) {
      wait = std::clamp(*wake - now().since_start, std::chrono::milliseconds(0), kLongestWait);
    }
    const Clock::time_point until = Clock::now() + wait;
    // A thread that measures once a second does so when it wakes anyway.
    const bool wakes_for_it = kMeasureSoonest < kLongestWait && reports_.measured && !is_measured_;
    return wakes_for_it ? std::min(until, measure_at_) : until;
  }

  [[nodiscard]] std::string explained(const Question& question) const {
    if constexpr (requires { Parts::explain_budget(reactor_, question.budget, now(), options_); }) {
      if (!question.budget.empty()) {
        return Parts::explain_budget(reactor_, question.budget, now(), options_);
      }
    }
    if (question.group.empty()) return Parts::explain(reactor_, question.pod, now(), options_);
    if constexpr (requires { Parts::explain_group(reactor_, question.group, now(), options_); }) {
      return Parts::explain_group(reactor_, question.group, now(), options_);
    } else {
      return "";
    }
  }

  [[nodiscard]] page::PagePart part_of(const page::PageAsked& asked) const {
    if constexpr (requires { Parts::page_part(reactor_, asked, now(), options_); }) {
      return Parts::page_part(reactor_, asked, now(), options_);
    } else {
      return {.now = now().wall};
    }
  }

  // False: it was no question.
  [[nodiscard]] bool answer(Incoming& asked) {
    if (auto* question = std::get_if<Question>(&asked)) {
      question->answer.set_value(explained(*question));
    } else if (auto* page = std::get_if<PageQuestion>(&asked)) {
      page->answer.set_value(part_of(page->asked));
    } else if (auto* checkup = std::get_if<Checkup<Status>>(&asked)) {
      checkup->answer.set_value(status());
    } else {
      return false;
    }
    return true;
  }

  [[nodiscard]] std::uint64_t turns() const {
    if constexpr (requires { Parts::turns(reactor_); }) {
      return Parts::turns(reactor_);
    } else {
      return 0;
    }
  }

  void handle(Seen seen, [[maybe_unused]] bool more) {
    is_measured_ = false;
    const Clock::time_point began = Clock::now();
    Observation observation{now(), std::move(seen)};
    if constexpr (requires { observation.more; }) observation.more = more;
    say(reports_.observed, observation);
    if (recorder_) recorder_->seen(reactor_, observation);
    const std::uint64_t turns_before = turns();
    Effects effects = reactor_.handle(std::move(observation));
    if (recorder_) recorder_->did(effects);
    note_recording();
    if constexpr (requires { reports_.judged; }) {
      if (const std::uint64_t made = turns() - turns_before; made > 0) {
        say(reports_.judged, made, Clock::now() - began);
      }
    }
    for (Effect& effect : effects) {
      say(reports_.performed, effect);
      effects_.push_back(std::move(effect));
    }
    if constexpr (requires { reports_.changed; }) {
      if (!more && reports_.changed) reports_.changed(status());
    }
    say(reports_.turned, "reactor", Clock::now() - began);
  }

  void perform() {
    if (!effects_.empty()) perform_(std::exchange(effects_, {}));
  }

  // A recording that stopped is told once, and the daemon goes on without it.
  void note_recording() {
    if (!recorder_ || recorder_->trouble().empty()) return;
    say(reports_.trouble, "the recording stops: " + recorder_->trouble());
    recorder_.reset();
    say(reports_.recording_stopped);
  }

  void measure() {
    const Clock::time_point began = Clock::now();
    if (!reports_.measured || began < measure_at_) return;
    reports_.measured(Parts::totals_of(reactor_, now(), options_));
    const Clock::time_point done = Clock::now();
    measure_at_ = done + std::clamp<Clock::duration>(kMeasureShare * (done - began),
                                                     kMeasureSoonest, kMeasureLatest);
    is_measured_ = true;
  }

  const Options& options_;
  const Reports& reports_;
  const Perform perform_;
  Inbox<Observation, Status> inbox_;
  std::deque<Seen> told_self_{};
  Effects effects_{};  // of this turn
  Reactor reactor_;
  std::optional<recording::Recorder<typename Parts::Recording>> recorder_{};
  const Clock::time_point started_ = Clock::now();
  Clock::time_point measure_at_{};
  bool is_measured_ = false;  // what was done last is in the figures
};

}  // namespace elbowroom::control
