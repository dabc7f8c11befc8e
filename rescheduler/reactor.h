// The rescheduler's reactor, on one thread: handle(observation) gives effects. It does no I/O and
// asks no clock. It routes: the cluster is one part, the keeper of budgets another, moves a third,
// reviews of other programs' evictions a fourth. Only the leader writes, and only what ends before
// the Lease's fence; but every replica answers reviews, and writes the debits that these take.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "control/leadership.h"
#include "control/server_clock.h"
#include "policy/ledger/budget_keeping.h"
#include "rescheduler/avoid_keeper.h"
#include "rescheduler/budget_keeper.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/counters.h"
#include "rescheduler/effect.h"
#include "rescheduler/moving/moves.h"
#include "rescheduler/observation.h"
#include "rescheduler/outbox.h"
#include "rescheduler/reactor_options.h"
#include "rescheduler/removal/ledgers.h"
#include "rescheduler/webhook/reviews.h"

namespace elbowroom::rescheduler {

class Reactor {
 public:
  using Time = std::chrono::milliseconds;  // since the start

  explicit Reactor(const ReactorOptions& options);
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Every effect must be answered by Done or Failed under its id, in any order.
  [[nodiscard]] Effects handle(Observation seen);

  // When TimePassed must arrive at the latest; none: nothing is waited for.
  [[nodiscard]] std::optional<Time> next_wake() const;

  [[nodiscard]] bool leads() const { return leadership_.leads(now_.since_start); }
  // Why it does not act at all; "" while it does.
  [[nodiscard]] std::string idle_because() const;
  // Why it could not lead although no other process does; "" where it could.
  [[nodiscard]] std::string lease_error() const { return leadership_.trouble(now_.since_start); }
  // Why the last status of a budget was not written; "" where it was.
  [[nodiscard]] const std::string& write_error() const { return keeper_.trouble(); }
  // The process may end.
  [[nodiscard]] bool handed_over() const { return leadership_.is_handed_over(now_.since_start); }

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const ClusterState& cluster() const { return cluster_; }
  [[nodiscard]] const Moves& moves() const { return moves_; }
  // Why the pod is moved now, or is not, in words. Requires that the pod is known.
  [[nodiscard]] std::string why_moved(const policy::Pod& pod, Time at) const;
  // The API server's time then.
  [[nodiscard]] policy::Time server_time(Time at) const { return clock_.at(at); }

 private:
  // What it may write on: it leads, and sees all that it decides on.
  [[nodiscard]] bool may_act() const;
  void lead_or_follow();
  [[nodiscard]] Turn turn();
  [[nodiscard]] Reviews::Clock clock() const;

  template <class T>
  void on(control::Listed<T>& seen) {
    keeper_.look_at(cluster_.take(seen), now_.since_start);
  }
  template <class T>
  void on(control::Seen<T>& seen) {
    keeper_.look_at(cluster_.take(seen), now_.since_start);
  }
  template <class T>
  void on(const control::Gone<T>& seen) {
    keeper_.look_at(cluster_.take(seen), now_.since_start);
  }
  void on(control::Listed<SettingsMap>& seen);
  void on(control::Seen<SettingsMap>& seen) { moves_.saw_settings(seen.object.is); }
  void on(const control::Gone<SettingsMap>& /*gone*/) { moves_.saw_settings(std::nullopt); }
  void on(control::Listed<RestsMap>& seen);
  void on(control::Seen<RestsMap>& seen) { moves_.saw_rests(seen.object.is); }
  void on(const control::Gone<RestsMap>& /*gone*/) { moves_.saw_rests(std::nullopt); }
  void on(PodsListed& seen);
  void on(PodSeen& seen);
  void on(NodesListed& seen);
  void on(NodeSeen& seen);
  void on(const NodeGone& seen);
  void on(const Unreadable& seen);
  void on(const Lost& lost) { cluster_.lost(lost.of, lost.why); }
  void on(const Back& back) { cluster_.back(back.of); }
  void on(const control::ServerDated& seen);
  void on(const control::LeaseSeen& seen) { leadership_.saw(seen.lease, now_.since_start); }
  void on(const control::LeaseUnseen& seen) { leadership_.cannot_see(seen.why); }
  void on(const control::StopAsked& /*asked*/) {
    leadership_.stop(now_.since_start);
    reviews_.stop();
  }
  void on(const ReviewAsked& asked);
  void on(const control::TimePassed& /*passed*/) {}
  void on(const Done& done);
  void on(const Failed& failed);

  const ReactorOptions options_;
  Moment now_{};
  control::ServerClock clock_{};
  control::Leadership leadership_;
  ClusterState cluster_{};
  Outbox outbox_{};
  Counts counts_{};
  Ledgers ledgers_{cluster_, outbox_};
  BudgetKeeper keeper_{cluster_, outbox_, counts_};
  Moves moves_;
  Reviews reviews_;
  AvoidKeeper avoided_{outbox_, counts_};
  bool is_acting_ = false;
};

}  // namespace elbowroom::rescheduler
