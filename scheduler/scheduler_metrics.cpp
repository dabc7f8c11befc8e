#include "scheduler/scheduler_metrics.h"

#include <array>
#include <string>
#include <utility>

#include "daemon/metrics/common_metrics.h"

namespace elbowroom::scheduler {
namespace {

using daemon::rise;
using Seconds = std::chrono::duration<double>;

// By PreemptorKind and VictimKind.
constexpr std::array kPreemptors = {"resize", "pod", "group"};
constexpr std::array kReasons = {"resize", "pending", "group"};
constexpr std::array kVictims = {"pod", "group"};

template <class Number>
double as_double(Number count) {
  return static_cast<double>(count);
}

}  // namespace

Figures::Figures(const daemon::Metrics& metrics)
    : metrics_(metrics),
      server_(metrics),
      attempts_(metrics.histogram("elbowroom_scheduler_attempt_duration_seconds")) {}

SchedulerReports Figures::reports() {
  SchedulerReports reports;
  server_.hear(reports);
  reports.measured = [this](const SchedulerStatus& now) { follow(now); };
  reports.judged = [this](std::uint64_t turns, std::chrono::nanoseconds worked) {
    judged(turns, worked);
  };
  reports.followed = [this](const ApiRound& round) { follow(round); };
  return reports;
}

void Figures::follow(const SchedulerStatus& now) {
  const Counts& is = now.counts;
  const auto total = [this](std::string_view name, std::uint64_t before, std::uint64_t after,
                            const daemon::Labels& labels = {}) {
    if (after > before) rise(metrics_.counter(name, labels), before, after);
  };
  for (const PreemptorKind kind : kPreemptorKinds) {
    const auto of = static_cast<std::size_t>(kind);
    for (const ResultRow& row : kResultTable) {
      const auto at = static_cast<std::size_t>(row.of);
      total("elbowroom_scheduler_attempts_total", counts_.turns_by.at(of).at(at),
            is.turns_by.at(of).at(at),
            {{"result", std::string(row.name)}, {"preemptor", kPreemptors.at(of)}});
    }
    for (const VictimKind victim : kVictimKinds) {
      const char* removed = kVictims.at(static_cast<std::size_t>(victim));
      total("elbowroom_scheduler_preemptions_total", counts_.sets.of(kind, victim),
            is.sets.of(kind, victim), {{"preemptor", kPreemptors.at(of)}, {"victim", removed}});
      total("elbowroom_disruptions_total", counts_.victims_by.of(kind, victim),
            is.victims_by.of(kind, victim),
            {{"kind", "stop"},
             {"reason", kReasons.at(of)},
             {"dry_run", "false"},
             {"victim", removed}});
    }
  }
  total("elbowroom_scheduler_leader_transitions_total", counts_.transitions, is.transitions);
  total("elbowroom_scheduler_fenced_writes_total", counts_.fenced_writes, is.fenced_writes);
  constexpr std::string_view kBindings = "elbowroom_scheduler_bindings_total";
  total(kBindings, counts_.bindings, is.bindings, {{"result", "bound"}});
  total(kBindings, counts_.unbound, is.unbound, {{"result", "failed"}});
  total("elbowroom_scheduler_budget_violations_total", counts_.budget_violations,
        is.budget_violations);
  constexpr std::string_view kBlocked = "elbowroom_disruption_blocked_total";
  total(kBlocked, counts_.refused, is.refused, {{"by", "refused"}});
  total(kBlocked, counts_.blocked, is.blocked, {{"by", "budget"}});
  total("elbowroom_disruption_undebited_total", counts_.undebited, is.undebited);
  const auto ledgers = [&](const char* budget, const auto& before, const auto& after) {
    constexpr std::string_view kLedgers = "elbowroom_disruption_ledger_entries_total";
    total(kLedgers, before.debits, after.debits, {{"budget", budget}, {"result", "debited"}});
    total(kLedgers, before.refunds, after.refunds, {{"budget", budget}, {"result", "refunded"}});
    total(kLedgers, before.conflicts, after.conflicts,
          {{"budget", budget}, {"result", "conflict"}});
  };
  ledgers("hard", counts_.hard_ledgers, is.hard_ledgers);
  ledgers("soft", counts_.soft_ledgers, is.soft_ledgers);
  total("elbowroom_scheduler_useful_flushes_total", counts_.useful_flushes, is.useful_flushes);
  total("elbowroom_scheduler_disagreements_total", counts_.disagreements, is.disagreements);
  total("elbowroom_rejected_inputs_total", counts_.unreadable, is.unreadable,
        {{"source", "api"}, {"reason", "object"}});

  constexpr std::array kQueues = {"active", "backoff", "parked", "in_flight"};
  for (std::size_t queue = 0; queue < kQueues.size(); ++queue) {
    metrics_.gauge("elbowroom_scheduler_pending_resizes", {{"queue", kQueues.at(queue)}})
        .set(as_double(now.queued_resizes.at(queue)));
    metrics_.gauge("elbowroom_scheduler_pending_pods", {{"queue", kQueues.at(queue)}})
        .set(as_double(now.queued.at(queue)));
  }
  metrics_.gauge("elbowroom_scheduler_leader").set(now.leads ? 1 : 0);
  metrics_.gauge("elbowroom_scheduler_lease_trouble").set(now.lease.empty() ? 0 : 1);
  metrics_.gauge("elbowroom_scheduler_assumed_pods").set(as_double(now.assumed));
  metrics_.gauge("elbowroom_scheduler_refused_pods").set(as_double(now.refused));
  metrics_.gauge("elbowroom_scheduler_nodes").set(as_double(now.nodes));
  metrics_.gauge("elbowroom_pods").set(as_double(now.pods));
  metrics_.gauge("elbowroom_quarantined_objects").set(as_double(now.unreadable));
  metrics_.gauge("elbowroom_deferred_age_seconds").set(Seconds(now.deferred_longest).count());
  counts_ = is;
}

void Figures::judged(std::uint64_t turns, std::chrono::nanoseconds worked) {
  const double each = Seconds(worked).count() / as_double(turns);
  for (std::uint64_t turn = 0; turn < turns; ++turn) attempts_.observe(each);
}

}  // namespace elbowroom::scheduler
