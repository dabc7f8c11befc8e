// A transport to a simulated API server in virtual time, with the faults of a network and of a
// server. It never waits; whoever drives the simulation moves the clock to next_due() and calls
// run_once().
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "api/transport/transport.h"
#include "lab/apiserver/api_fault.h"
#include "lab/apiserver/api_service.h"
#include "lab/virtual/virtual_clock.h"

namespace elbowroom::lab {

// A pod with this annotation arrives with a value that no client of ours understands, as from a
// server that is newer than they are.
inline constexpr std::string_view kUnreadable = "lab.elbowroom.dev/unreadable";

class VirtualTransport final : public api::Transport {
 public:
  // What it is made of; all of it must outlive the transport.
  struct Place {
    World& world;
    ApiService& service;
    const VirtualClock& clock;
    const std::chrono::microseconds& wall_off;  // of the node's time of day
  };

  VirtualTransport(Place place, api::TransportOptions options, std::uint64_t seed);

  void send(api::Request request, Done done) override;
  [[nodiscard]] api::Ticket stream(api::Request request, api::StreamCallbacks callbacks) override;
  [[nodiscard]] api::Ticket after(api::Clock::duration delay,
                                  std::move_only_function<void()> f) override;
  void post(std::move_only_function<void()> f) override;
  // What is due now; the wait is not waited.
  void run_once(api::Clock::duration max_wait) override;
  [[nodiscard]] api::Clock::time_point now() const override { return place_.clock.now; }
  [[nodiscard]] policy::Time wall() const override { return place_.clock.wall + place_.wall_off; }

  // When run_once() has something to do; nothing: not before it is asked for something or the
  // world changes.
  [[nodiscard]] std::optional<api::Clock::time_point> next_due() const;

  // True where only time-outs, bookmarks and timers are left to wait for.
  [[nodiscard]] bool is_idle() const;

  void arm(ApiFault fault);
  // Later requests meet none of the faults that are armed still; open watches stay as they are.
  void disarm() { faults_.clear(); }
  // Called each time a fault was met.
  void on_fault(std::function<void(const ApiFault&)> told) { told_ = std::move(told); }

  // Called with each request that the server acts on, when it does.
  void on_request(std::function<void(const api::Request&)> told) { asked_ = std::move(told); }

  // The process is gone. What is on its way to the server arrives there all the same, or nothing
  // of it does; no callback comes any more.
  void abandon(bool arrives);

 private:
  struct Armed {
    ApiFault fault{};
    api::Clock::time_point ends{};  // of one that lasts
  };
  enum class Phase : std::uint8_t { Waiting, OnTheWay, Answered, Watching };
  struct Exchange {
    api::Request request{};
    api::StreamCallbacks callbacks{};
    bool streams = false;
    Phase phase = Phase::Waiting;
    std::optional<ApiFault> fault{};
    api::Clock::time_point started{};
    api::Clock::time_point due{};  // OnTheWay: arrives; Answered: is told; never: not at all
    Result<api::Response> outcome{};
    std::string part{};  // of a body, before the outcome, which is then an error
    std::optional<ApiWatch> watch{};
    api::Clock::time_point heard{};  // the last byte of a watch
    api::Clock::time_point stale_until{};
    bool is_coming = false;  // what happened last is on its way, until `stale_until` at least
    bool is_silent = false;
    bool doubles = false;
    bool swaps = false;
    std::string held{};  // an event that waits for its successor
    api::Clock::time_point held_until{};
  };
  struct Lane {
    api::TokenBucket bucket;
    std::deque<std::uint64_t> waiting{};
  };

  std::uint64_t enqueue(Exchange exchange);
  void run_posted();
  void fire_timers();
  void start_waiting(Lane& lane);
  void start(Exchange& exchange);
  [[nodiscard]] std::optional<ApiFault> fault_for(const Exchange& exchange);
  void meet(const ApiFault& fault);
  void handle(std::uint64_t id);
  void arrive(Exchange& exchange);
  void answer(Exchange& exchange);
  void open_watch(std::uint64_t id, Exchange& exchange);
  void follow_watch(std::uint64_t id);
  void hit_watch(std::uint64_t id, const ApiFault& fault);
  void tell_events(std::uint64_t id, const std::vector<WatchEvent>& events);
  [[nodiscard]] static bool is_disturbed(const Exchange& exchange);
  [[nodiscard]] std::string as_told(Exchange& exchange, std::string text);
  void tell(std::uint64_t id);
  void end(std::uint64_t id, Result<api::Response> outcome);
  [[nodiscard]] api::Clock::time_point deadline_of(const Exchange& exchange) const;
  [[nodiscard]] std::optional<api::Clock::time_point> due_of(const Exchange& exchange) const;
  [[nodiscard]] api::Clock::duration latency();
  [[nodiscard]] Lane& lane_of(api::Lane lane);

  Place place_;
  api::TransportOptions options_;
  std::mt19937_64 random_;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Exchange> exchanges_;
  std::multimap<api::Clock::time_point, std::pair<std::uint64_t, std::move_only_function<void()>>>
      timers_;
  std::vector<std::move_only_function<void()>> posted_;
  std::deque<Armed> faults_;
  std::function<void(const ApiFault&)> told_;
  std::function<void(const api::Request&)> asked_;
  Lane calls_;
  Lane events_;
  Lane unlimited_;
};

// What the lab's service is asked with.
[[nodiscard]] ApiRequest request_of(const api::Request& request);
[[nodiscard]] api::Response response_of(ApiReply reply);

}  // namespace elbowroom::lab
