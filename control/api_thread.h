// The API's thread of a daemon: it runs the daemon's worker, hands what it tells to the reactor's
// inbox in bursts, and reports how the API server is followed.
//
// Parts::kLookEvery is the time between two reports of how it is followed, at least; 0: each round.
// A Worker has perform(effects), run(stop, alive), round(), a control::ApiRound or more, and
// take_news(). Reports are those of control/reports.h; `unreadable` is optional.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include "api/transport/access.h"
#include "api/transport/transport.h"
#include "control/inbox.h"
#include "control/observation.h"
#include "control/reports.h"
#include "control/server_access.h"

namespace elbowroom::control {

template <class Parts>
class ApiThread {
 public:
  using Reports = typename Parts::Reports;
  using Worker = typename Parts::Worker;
  using Inbox = control::Inbox<typename Parts::Observation, typename Parts::Status>;
  using Seen = decltype(Parts::Observation::what);

  // `reports` and `inbox` must outlive it. `make(transport, tell)` makes the worker.
  template <class Make>
  ApiThread(const api::Access& access, api::TransportOptions options, const Reports& reports,
            Inbox& inbox, Make make)
      : reports_(reports),
        inbox_(inbox),
        worker_(make(server_.made(access, reporting(std::move(options))),
                     [this](Seen seen) { tell(std::move(seen)); })) {}
  ApiThread(const ApiThread&) = delete;
  ApiThread& operator=(const ApiThread&) = delete;

  // Whose perform() may be called by any thread.
  [[nodiscard]] Worker& worker() { return worker_; }

  // From now on this is how the API server is reached. May be called by any thread while run()
  // runs.
  void use(api::Access access) { server_.use(std::move(access)); }

  // The thread's body, until stop is requested.
  void run(const std::stop_token& stop) {
    stop_ = stop;
    api::Ticket later;  // a look that came too soon is made up for
    bool is_set = false;
    worker_.run(stop, [&] {
      say(reports_.alive, "api");
      const Clock::duration left = look_around_at_ - Clock::now();
      if (left > Clock::duration::zero() && !std::exchange(is_set, true)) {
        later = server_.transport().after(left, [&is_set] { is_set = false; });
      }
      look_around();
    });
    // What happened last is told too.
    look_around_at_ = {};
    look_around();
  }

 private:
  using Clock = api::Clock;

  static constexpr std::chrono::seconds kInboxPatience{5};
  // What comes in bursts is handed over in bursts, from thread to thread: each wakes the other
  // once.
  static constexpr std::size_t kMostToldAtOnce = 256;

  api::TransportOptions reporting(api::TransportOptions of) {
    of.called = reports_.api_called;
    of.waits = [this] { hand_on(); };
    of.worked = [this](Clock::duration worked) { say(reports_.turned, "api", worked); };
    return of;
  }

  void look_around() {
    const Clock::time_point now = Clock::now();
    if (now < look_around_at_) return;
    look_around_at_ = now + Parts::kLookEvery;
    auto round = worker_.round();
    round.certificate_expires = server_.certificate_expires();
    say(reports_.followed, round);
    for (const std::string& each : worker_.take_news()) say(reports_.noticed, each);
    server_.look(round.freshness(0));
  }

  void tell(Seen seen) {
    if (stop_.stop_requested()) return;  // the reactor has ended; the last events are written
    if constexpr (requires { reports_.unreadable; }) {
      if (const auto* odd = std::get_if<Unreadable>(&seen)) say(reports_.unreadable, *odd);
    }
    told_.emplace_back(std::move(seen));
    if (told_.size() >= kMostToldAtOnce) hand_on();
  }

  // Never dropped: where the reactor takes nothing, its own watchdog says so.
  void hand_on() {
    while (!told_.empty() && !stop_.stop_requested()) {
      static_cast<void>(inbox_.put_all(told_, stop_, Clock::now() + kInboxPatience));
    }
  }

  const Reports& reports_;
  Inbox& inbox_;
  std::deque<Message<typename Parts::Observation, typename Parts::Status>> told_{};  // this round
  std::stop_token stop_{};
  Clock::time_point look_around_at_{};
  ServerAccess server_{[this](const std::string& why) { say(reports_.trouble, why); },
                       [this] {
                         if constexpr (requires(Worker& worker) { worker.server_changed(); }) {
                           worker_.server_changed();
                         }
                       }};
  Worker worker_;
};

}  // namespace elbowroom::control
