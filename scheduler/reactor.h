// The scheduler's reactor, on one thread: handle(observation) gives effects. It does no I/O and
// asks no clock. It only routes: the state is one value (scheduler/reactor_state.h), and each part
// below decides one thing over it. A pod that waits is woken by changes on its own node or by a
// time it named, and one judgement unpacks one node.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "scheduler/breaker/breaker_keeper.h"
#include "scheduler/cluster_follower.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"
#include "scheduler/placing/gang_placer.h"
#include "scheduler/placing/group_reports.h"
#include "scheduler/placing/nominations.h"
#include "scheduler/placing/pending_reports.h"
#include "scheduler/placing/pod_binder.h"
#include "scheduler/placing/pod_placer.h"
#include "scheduler/placing/volume_follower.h"
#include "scheduler/reactor_options.h"
#include "scheduler/reactor_state.h"
#include "scheduler/removal/mark_clearer.h"
#include "scheduler/removal/removal_end.h"
#include "scheduler/removal/victim_remover.h"
#include "scheduler/resizing/resize_judge.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

//   NodesListed, PodsListed, BudgetsListed, OwnBudgetsListed (NamespacesListed), leading
//                      |
//                      v    all of them true, nothing lost: acting
//            pop --> judge --> park / begin a removal / bind
class Reactor {
 public:
  using Time = std::chrono::milliseconds;  // since the start

  explicit Reactor(ReactorOptions options);
  // Continues from another reactor's state, as that reactor would.
  Reactor(ReactorOptions options, ReactorState state);
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Every effect but events must be answered by Done or Failed under its id, in any order.
  [[nodiscard]] Effects handle(Observation seen);

  // When TimePassed must arrive at the latest; none: nothing is waited for. It may be now: a turn
  // judges no more than a few dozen pods.
  [[nodiscard]] std::optional<Time> next_wake() const { return state_.next_wake; }

  [[nodiscard]] bool leads() const { return state_.leads(); }
  [[nodiscard]] bool is_synced() const { return state_.cluster.is_synced(); }
  // Why it does not act at all; "" while it does.
  [[nodiscard]] std::string idle_because() const;
  // What is not followed, and why; "" while all is.
  [[nodiscard]] std::string lost() const { return state_.cluster.lost(); }
  // Why it could not lead although no other process does: the Lease cannot be read, or not written;
  // "" where it can, or leads.
  [[nodiscard]] std::string lease_error() const { return state_.leadership.trouble(now()); }
  // The Lease was given back, or is left to run out, or there was none: the program may end.
  [[nodiscard]] bool handed_over() const { return state_.leadership.is_handed_over(now()); }

  [[nodiscard]] const ReactorOptions& options() const { return options_; }
  [[nodiscard]] const ReactorState& state() const { return state_; }
  [[nodiscard]] const Counts& counts() const { return state_.counts; }
  [[nodiscard]] const Queue& queue() const { return state_.waiting.queue(); }
  [[nodiscard]] const cluster::Snapshot& snapshot() const { return state_.cluster.snapshot(); }
  // By NAMESPACE/NAME.
  [[nodiscard]] const WaitingPods::All& waiting() const { return state_.waiting.all(); }
  [[nodiscard]] std::size_t assumed() const { return state_.cluster.assumed(); }
  [[nodiscard]] Time now() const { return state_.time(); }
  [[nodiscard]] const RefusedRemovals& refusals() const { return state_.cluster.refusals(); }

 private:
  // Of the watches; the follower has one function for each kind.
  template <class Seen>
    requires requires(ClusterFollower& follower, Seen& seen) { follower.on(seen); }
  void on(Seen& seen) {
    follower_.on(seen);
  }
  template <class Seen>
    requires requires(VolumeFollower& follower, Seen& seen) { follower.on(seen); }
  void on(Seen& seen) {
    volumes_.on(seen);
  }
  void on(const Lost& seen) { state_.cluster.lost(seen.of, seen.why); }
  void on(const Back& seen);
  void on(const PolicyFieldProbed& seen);
  void on(const ServerDated& seen);
  void on(const LeaseSeen& seen) { state_.leadership.saw(seen.lease, now()); }
  void on(const LeaseUnseen& seen) { state_.leadership.cannot_see(seen.why); }
  void on(const StopAsked& /*seen*/) { state_.leadership.stop(now()); }
  void on(const TimePassed& /*seen*/) {}
  void on(const Done& done);
  void on(const Failed& failed);

  void lead_or_follow();
  void begin_to_lead();
  void renew();
  void begin_to_act();
  void work();
  void drop_overdue();
  void judge_next();
  [[nodiscard]] std::size_t judge(const Queue::Popped& popped);
  [[nodiscard]] bool victims_give_way(const RemovalRequest& request, const std::string& id);
  void offer_slots();
  // When no more removals are under way than are allowed, as far as time alone tells; none: an
  // answer is needed first.
  [[nodiscard]] std::optional<Time> judges_at() const;
  [[nodiscard]] bool has_looked() const;
  void find_next_wake();

  const ReactorOptions options_;
  ReactorState state_;
  Turns turns_{options_, state_};
  ClusterFollower follower_{options_, state_, turns_};
  VolumeFollower volumes_{state_};
  PendingReports reports_{options_, state_, turns_};
  Nominations nominations_{state_, follower_, reports_};
  PodBinder binder_{state_, follower_, turns_};
  GroupReports group_reports_{options_, state_, turns_};
  PodPlacer placer_{options_, state_, turns_, reports_, nominations_, binder_, group_reports_};
  GangPlacer gangs_{options_,     state_,  turns_,    reports_,
                    nominations_, binder_, follower_, group_reports_};
  ResizeJudge judge_{options_, state_, turns_};
  RemovalEnd removal_end_{state_, turns_, nominations_};
  VictimRemover remover_{state_,   turns_,       judge_,       placer_,       gangs_,
                         reports_, nominations_, removal_end_, group_reports_};
  MarkClearer clearer_{options_, state_};
  BreakerKeeper breaker_keeper_{options_, state_};
};

}  // namespace elbowroom::scheduler
