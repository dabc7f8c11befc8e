#include "scheduler/metric_families.h"

#include <string_view>
#include <utility>

#include "control/replica_figures.h"
#include "scheduler/collections.h"
#include "scheduler/waiting/requeue_hints.h"

namespace elbowroom::scheduler {
namespace {

using daemon::MetricFamilies;
using daemon::MetricLabel;
using enum daemon::MetricType;

MetricLabel results() {
  MetricLabel label{.name = "result"};
  for (const ResultRow& row : kResultTable) label.values.push_back(row.name);
  return label;
}

MetricLabel preemptors() { return {"preemptor", {"resize", "pod", "group"}}; }
MetricLabel victims() { return {"victim", {"pod", "group"}}; }

MetricFamilies of_decisions() {
  return {
      {"elbowroom_scheduler_leader", Gauge, "", {}, "1 while this replica leads, else 0"},
      {"elbowroom_scheduler_leader_transitions_total",
       Counter,
       "",
       {},
       "Times this replica began to lead"},
      {"elbowroom_scheduler_lease_trouble",
       Gauge,
       "",
       {},
       "1 while the Lease cannot be read or written, so that this replica could not lead, else 0"},
      {"elbowroom_scheduler_fenced_writes_total",
       Counter,
       "",
       {},
       "Writes that were given up because the lease was no longer sure to be ours"},
      {"elbowroom_scheduler_attempts_total",
       Counter,
       "",
       {results(), preemptors()},
       "Turns of Deferred resizes and, in mode full, pending pods and gangs by what came of them"},
      {"elbowroom_scheduler_attempt_duration_seconds",
       Histogram,
       "seconds",
       {},
       "Time one turn of a Deferred resize or pending pod took, of those that came together their "
       "mean"},
      {"elbowroom_scheduler_pending_pods",
       Gauge,
       "",
       {{"queue", {"active", "backoff", "parked", "in_flight"}}},
       "Pods that wait for a decision by where they wait; in mode resize those whose resize is "
       "Deferred"},
      {"elbowroom_scheduler_pending_resizes",
       Gauge,
       "",
       {{"queue", {"active", "backoff", "parked", "in_flight"}}},
       "Deferred resizes by where they wait"},
      {"elbowroom_deferred_age_seconds",
       Gauge,
       "seconds",
       {},
       "How long the resize that is Deferred longest has waited; 0 when none is"},
      {"elbowroom_scheduler_bindings_total",
       Counter,
       "",
       {{"result", {"bound", "failed"}}},
       "Pending pods that were placed, in mode full, and bindings that were refused or failed"},
      {"elbowroom_scheduler_preemptions_total",
       Counter,
       "",
       {preemptors(), victims()},
       "Sets of pods that were asked to go for a Deferred resize, a pending pod or a gang; victim "
       "is group where at least one pod group goes whole"},
      {"elbowroom_disruptions_total",
       Counter,
       "",
       {{"kind", {"stop"}},
        {"reason", {"resize", "pending", "group"}},
        {"dry_run", {"false"}},
        victims()},
       "Pods removed to make room for Deferred resizes and, in mode full, for pending pods and "
       "gangs (group); victim is group for pods that go with their whole pod group"},
      {"elbowroom_scheduler_budget_violations_total",
       Counter,
       "",
       {},
       "Pods removed although a disruption budget would have spared them"},
      {"elbowroom_disruption_blocked_total",
       Counter,
       "",
       {{"by", {"refused", "budget"}}},
       "Sets of which nobody was removed, because the API server refused one of them, or a hard "
       "DisruptionBudget once it was to be debited"},
      {"elbowroom_disruption_ledger_entries_total",
       Counter,
       "",
       {{"budget", {"hard", "soft"}}, {"result", {"debited", "refunded", "conflict"}}},
       "Pods entered in the ledgers of DisruptionBudgets and taken out again, and writes that "
       "another program was ahead of"},
      {"elbowroom_disruption_undebited_total",
       Counter,
       "",
       {},
       "Removals that a DisruptionBudget, which is not hard, could not be debited for"},
      {"elbowroom_scheduler_useful_flushes_total",
       Counter,
       "",
       {},
       "Resizes for which room was made only because the safety net looked again: each is a bug"},
      {"elbowroom_scheduler_disagreements_total",
       Counter,
       "",
       {},
       "Resizes that fit by our sums and that the node still refused two minutes later"},
      {"elbowroom_scheduler_assumed_pods",
       Gauge,
       "",
       {},
       "Pods whose delete was accepted and that were not seen on their way out yet"},
      {"elbowroom_scheduler_refused_pods",
       Gauge,
       "",
       {},
       "Pods that the API server refused to remove and that are not asked again yet"},
      {"elbowroom_scheduler_nodes", Gauge, "", {}, "Nodes that are known"},
      {"elbowroom_pods", Gauge, "", {}, "Pods that hold room or were nominated"},
      {"elbowroom_quarantined_objects",
       Gauge,
       "",
       {},
       "Pods that were never understood: while there is one, nobody is removed on its node"},
  };
}

}  // namespace

MetricFamilies scheduler_families() {
  MetricFamilies all =
      control::replica_families(kCollectionTable, {"events", "leases", "discovery", "version"});
  for (daemon::MetricFamily& each : of_decisions()) all.push_back(std::move(each));
  return all;
}

}  // namespace elbowroom::scheduler
