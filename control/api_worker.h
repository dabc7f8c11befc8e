// The API thread of a leader-elected daemon: follows its collections and its Lease, performs its
// writes, and reports both. Everything but perform() belongs to the thread that calls run(), or in
// virtual time to the code that drives the transport.
//
// A Wire is what a daemon has of its own on the line:
//   type Daemon (control/api_line.h), with Effect, Effects, Collection and kLease too; type
//   Options, with lease_namespace, identity, leader_elect, seed; type Line; made with (line,
//   options); follow(collections); write(id, what) for its own effects; take_news();
//   reduced_pods(); optionally server_changed().
//   static transport_options(...).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/transport/transport.h"
#include "control/api_line.h"
#include "control/api_round.h"
#include "control/followed_collections.h"
#include "control/lease_line.h"

namespace elbowroom::control {

struct ApiWorkerOptions {
  std::string lease_namespace = "kube-system";
  std::string identity{};    // of this process; the instance in events
  bool leader_elect = true;  // else the Lease is not looked at
  std::uint64_t seed = 1;
};

template <class Wire>
class ApiWorker {
 public:
  using Daemon = typename Wire::Daemon;
  using Effect = typename Daemon::Effect;
  using Effects = typename Daemon::Effects;
  using Options = typename Wire::Options;
  using Line = ApiLine<Daemon>;
  // Takes what was seen, on the transport's thread; it must not drop it.
  using Tell = typename Line::Tell;

  // `started`: when the reactor's clock was zero, on the transport's.
  ApiWorker(std::unique_ptr<api::Transport> transport, const Options& options,
            api::Clock::time_point started, Tell tell)
      : line_(std::move(transport),
              {.instance = options.identity, .seed = options.seed, .started = started},
              std::move(tell)),
        wire_(line_, options),
        collections_(line_, options.seed),
        lease_(line_, options.lease_namespace) {
    wire_.follow(collections_);
    if (options.leader_elect) lease_.follow(collections_.next_seed());
  }
  ApiWorker(const ApiWorker&) = delete;
  ApiWorker& operator=(const ApiWorker&) = delete;

  template <class... Of>
  [[nodiscard]] static api::TransportOptions transport_options(const Of&... of) {
    return Wire::transport_options(of...);
  }

  // Begins to follow; once, by run() or by the code that drives the transport.
  void start() {
    collections_.start();
    lease_.start();
  }

  // Queues writes, in their order. May be called by any thread.
  void perform(Effects effects) {
    line_.transport().post([this, effects = std::move(effects)] {
      for (const Effect& effect : effects) write(effect);
    });
  }
  void perform(Effect effect) { perform(Effects{std::move(effect)}); }

  // Its state; on the transport's thread.
  [[nodiscard]] ApiRound round() const {
    return {.collections = collections_.rounds(),
            .events_superseded = line_.events().superseded(),
            .events_dropped = line_.events().dropped(),
            .reduced_pods = wire_.reduced_pods(),
            .now = line_.transport().now()};
  }

  // The API server has another version than before; on the transport's thread.
  void server_changed() {
    if constexpr (requires(Wire& wire) { wire.server_changed(); }) wire_.server_changed();
  }

  // Words about pods that are larger than what is kept of them; on the transport's thread.
  [[nodiscard]] std::vector<std::string> take_news() { return wire_.take_news(); }

  // The thread's body; see ApiLine::run.
  void run(const std::stop_token& stop, const std::function<void()>& alive) {
    start();
    line_.run(stop, alive);
  }

 private:
  void write(const Effect& effect) {
    line_.end_by(effect.not_after);
    std::visit([&](const auto& what) { write(effect.id, what); }, effect.what);
  }
  template <class What>
  void write(EffectId id, const What& what) {
    if constexpr (requires { line_.write(id, what); }) {
      line_.write(id, what);
    } else if constexpr (requires { lease_.write(id, what); }) {
      lease_.write(id, what);
    } else {
      wire_.write(id, what);
    }
  }

  Line line_;
  Wire wire_;
  FollowedCollections<Line, typename Daemon::Collection> collections_;
  LeaseLine<Line, Daemon> lease_;
};

}  // namespace elbowroom::control
