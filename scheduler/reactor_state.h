// Everything the scheduler's reactor remembers from one observation to the next, as one value. Two
// reactors with equal options and copies of one state return the same effects from then on, so no
// input of a decision may be stored elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/debit_queue.h"
#include "control/leadership.h"
#include "control/server_clock.h"
#include "scheduler/breaker/circuit_breaker.h"
#include "scheduler/breaker/circuit_breaker_store.h"
#include "scheduler/cluster_state.h"
#include "scheduler/counters.h"
#include "scheduler/outbox.h"
#include "scheduler/placing/group_statuses.h"
#include "scheduler/placing/volume_bindings.h"
#include "scheduler/placing/volume_waits.h"
#include "scheduler/reactor_options.h"
#include "scheduler/removal/removals.h"
#include "scheduler/removal/victim_events.h"
#include "scheduler/removal/victim_marks.h"
#include "scheduler/waiting/waiting_pods.h"

namespace elbowroom::scheduler {

using control::Leadership;

struct ReactorState {
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // No more removals than this are begun. Preemptors that need one more continue when one has
  // ended.
  static constexpr std::size_t kMostRemovals = 32;

  // Who debits, in the ledgers of DisruptionBudgets.
  static constexpr std::string_view kBy = "elbowroom-scheduler";

  explicit ReactorState(const ReactorOptions& options)
      : leadership(options.leader_elect, options.elector),
        cluster(options.places_for, options.rules),
        debits(std::string(kBy), cluster::DebitQueue::walls_by(options.rules)),
        breaker(options.breaker),
        breaker_store(options.breaker.window) {}

  Moment now{};
  control::ServerClock server_clock{};
  Leadership leadership;
  bool is_acting = false;
  EffectId acting_from = 0;  // the last effect before it began to act, this time
  std::optional<Time> next_wake{};
  std::optional<bool> keeps_policy_field{};  // of the API server; nullopt: not known yet

  ClusterState cluster;
  WaitingPods waiting{};
  VolumeWaits volume_waits{};        // refused pods with claims
  VolumeBindings volume_bindings{};  // assumed pods whose volumes are not all bound
  GroupStatuses group_statuses{};
  VictimMarks marks{};
  Removals removals{};
  cluster::DebitQueue debits;
  bool is_held_up = false;  // an answer for a removal came while nothing might be written
  VictimEvents victim_events{};
  CircuitBreaker breaker;
  CircuitBreakerStore breaker_store;

  Outbox outbox{};
  Counts counts{};

  [[nodiscard]] Time time() const { return now.since_start; }
  // By the API server's clock, which rates use.
  [[nodiscard]] policy::Time server_time() const { return server_clock.at(now.since_start); }
  [[nodiscard]] Clocks clocks() const { return {now, server_time()}; }
  [[nodiscard]] policy::Time wall_of(Time at) const { return now.wall + (at - now.since_start); }
  [[nodiscard]] Time since_start_of(policy::Time wall) const {
    return now.since_start + std::chrono::duration_cast<Time>(wall - now.wall);
  }
  // By when everything that is written now must have ended.
  [[nodiscard]] Time fence() const { return leadership.fence(now.since_start); }
  [[nodiscard]] bool leads() const { return leadership.leads(now.since_start); }
  // Leads, and sees all that it decides on.
  [[nodiscard]] bool may_act() const;
  [[nodiscard]] bool has_removal_slot() const { return removals.size() < kMostRemovals; }

  // Something changed for waiting pods; the pod `but`, which caused it, is not woken. The pod that
  // changed, before and after, if it was one and is known.
  void wake(const NodeChange& change, std::string_view but = {},
            const policy::Pod* before = nullptr, const policy::Pod* after = nullptr);
  // The pod waits no more, or is gone: nothing is assumed of its volumes any more.
  void end_volumes_of(std::string_view key);
  // The standing of marks may depend on that waiting pod.
  void doubt_marks_for(const Waiting& pod);
  // How the circuit breaker calls a node: the uid of its Node, or the name of one that is not
  // known.
  [[nodiscard]] std::string counted_node(std::string_view name) const;
  // True if the removal of that pod's mark is in flight. Also where the watch has shown the mark
  // gone before: another writer removed it, and our own write would remove the next one.
  [[nodiscard]] bool is_clearing_mark_of(std::string_view key) const;
};

}  // namespace elbowroom::scheduler
