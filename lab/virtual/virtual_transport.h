// A transport to a simulated API server in virtual time, with the faults of a network and of a
// server. It never waits; its owner moves the clock to next_due() and calls run_once().
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

// A pod with this annotation arrives with a value that none of our clients understands, as from a
// newer server.
inline constexpr std::string_view kUnreadable = "lab.elbowroom.dev/unreadable";

class VirtualTransport final : public api::Transport {
 public:
  // The parts of a transport; all must outlive it.
  struct Place {
    World& world;
    ApiService& service;
    const VirtualClock& clock;
    const std::chrono::microseconds& wall_off;  // offset of the node's time of day
  };

  VirtualTransport(Place place, api::TransportOptions options, std::uint64_t seed);

  void send(api::Request request, Done done) override;
  [[nodiscard]] api::Ticket stream(api::Request request, api::StreamCallbacks callbacks) override;
  [[nodiscard]] api::Ticket after(api::Clock::duration delay,
                                  std::move_only_function<void()> f) override;
  void post(std::move_only_function<void()> f) override;
  // Performs what is due now; it does not wait.
  void run_once(api::Clock::duration max_wait) override;
  [[nodiscard]] api::Clock::time_point now() const override { return place_.clock.now; }
  [[nodiscard]] policy::Time wall() const override { return place_.clock.wall + place_.wall_off; }

  // When run_once() has something to do; nothing: not before the next request or a change of the
  // world.
  [[nodiscard]] std::optional<api::Clock::time_point> next_due() const;

  // True if only time-outs, bookmarks and timers remain.
  [[nodiscard]] bool is_idle() const;

  void arm(ApiFault fault);
  // Removes the armed faults for later requests; open watches do not change.
  void disarm() { faults_.clear(); }
  // Called each time a fault occurs.
  void on_fault(std::function<void(const ApiFault&)> told) { told_ = std::move(told); }

  // Called with each request when the server acts on it.
  void on_request(std::function<void(const api::Request&)> told) { asked_ = std::move(told); }

  // The process is gone. Requests in transit arrive at the server, or none does; no callback is
  // called any more.
  void abandon(bool arrives);

 private:
  struct Armed {
    ApiFault fault{};
    api::Clock::time_point ends{};  // of a fault with a duration
  };
  enum class Phase : std::uint8_t { Waiting, OnTheWay, Answered, Watching };
  struct Exchange {
    api::Request request{};
    api::StreamCallbacks callbacks{};
    bool streams = false;
    Phase phase = Phase::Waiting;
    std::optional<ApiFault> fault{};
    api::Clock::time_point started{};
    api::Clock::time_point due{};  // OnTheWay: arrives; Answered: is delivered; never: not at all
    Result<api::Response> outcome{};
    std::string part{};  // of a body, before the outcome, which is an error then
    std::optional<ApiWatch> watch{};
    api::Clock::time_point heard{};  // last byte of a watch
    api::Clock::time_point stale_until{};
    bool is_coming = false;  // the latest change is in transit, at least until `stale_until`
    bool is_silent = false;
    bool doubles = false;
    bool swaps = false;
    std::string held{};  // an event that waits for the next one
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

// Returns the request in the form of the lab's service.
[[nodiscard]] ApiRequest request_of(const api::Request& request);
[[nodiscard]] api::Response response_of(ApiReply reply);

}  // namespace elbowroom::lab
