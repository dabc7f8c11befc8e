#include "rescheduler/rescheduler_metrics.h"

#include <string>
#include <string_view>

#include "control/replica_figures.h"
#include "daemon/metrics/common_metrics.h"
#include "rescheduler/collections.h"

namespace elbowroom::rescheduler {
namespace {

using enum daemon::MetricType;

template <class Number>
double as_double(Number count) {
  return static_cast<double>(count);
}

}  // namespace

daemon::MetricFamilies rescheduler_families() {
  daemon::MetricFamilies all =
      control::replica_families(kCollectionTable, {"events", "leases", "version"});
  const daemon::MetricFamilies own = {
      {"elbowroom_rescheduler_leader", Gauge, "", {}, "1 while this replica leads, else 0"},
      {"elbowroom_rescheduler_leader_transitions_total",
       Counter,
       "",
       {},
       "Times this replica began to lead"},
      {"elbowroom_rescheduler_lease_trouble",
       Gauge,
       "",
       {},
       "1 while the Lease cannot be read or written, so that this replica could not lead, else 0"},
      {"elbowroom_rescheduler_fenced_writes_total",
       Counter,
       "",
       {},
       "Writes that were given up because the lease was no longer sure to be ours"},
      {"elbowroom_rescheduler_status_writes_total",
       Counter,
       "",
       {{"result", {"written", "conflict", "failed"}}},
       "Writes of the status of a DisruptionBudget; conflict: another program wrote first, and it "
       "is decided again"},
      {"elbowroom_rescheduler_refunds_total",
       Counter,
       "",
       {},
       "Debits that were taken back because their pods lived on"},
      {"elbowroom_rescheduler_entered_total",
       Counter,
       "",
       {},
       "Pods that were disrupted without a debit, and entered in the ledger afterwards"},
      {"elbowroom_rescheduler_avoid_passes_total",
       Counter,
       "",
       {},
       "Times that the ended entries of pods to avoid were taken away from a node"},
      {"elbowroom_rescheduler_budgets", Gauge, "", {}, "DisruptionBudgets whose status is kept"},
      {"elbowroom_rescheduler_nodes", Gauge, "", {}, "Nodes that are known"},
      {"elbowroom_pods", Gauge, "", {}, "Pods that are known and have not finished"},
      {"elbowroom_rescheduler_unreadable_budgets",
       Gauge,
       "",
       {},
       "DisruptionBudgets that cannot be understood: their status is not kept"},
  };
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

ReschedulerReports Figures::reports() {
  ReschedulerReports reports;
  server_.hear(reports);
  reports.measured = [this](const ReschedulerStatus& now) { follow(now); };
  reports.followed = [this](const control::ApiRound& round) { server_.follow(round); };
  return reports;
}

void Figures::follow(const ReschedulerStatus& now) {
  const Counts& is = now.counts;
  const auto total = [this](std::string_view name, std::uint64_t before, std::uint64_t after,
                            const daemon::Labels& labels = {}) {
    if (after > before) daemon::rise(metrics_.counter(name, labels), before, after);
  };
  constexpr std::string_view kWrites = "elbowroom_rescheduler_status_writes_total";
  total(kWrites, counts_.written, is.written, {{"result", "written"}});
  total(kWrites, counts_.conflicts, is.conflicts, {{"result", "conflict"}});
  total(kWrites, counts_.failed, is.failed, {{"result", "failed"}});
  total("elbowroom_rescheduler_refunds_total", counts_.refunded, is.refunded);
  total("elbowroom_rescheduler_entered_total", counts_.entered, is.entered);
  total("elbowroom_rescheduler_avoid_passes_total", counts_.avoid_passes, is.avoid_passes);
  total("elbowroom_rescheduler_leader_transitions_total", counts_.transitions, is.transitions);
  total("elbowroom_rescheduler_fenced_writes_total", counts_.fenced_writes, is.fenced_writes);
  total("elbowroom_rejected_inputs_total", counts_.unreadable, is.unreadable,
        {{"source", "api"}, {"reason", "object"}});
  metrics_.gauge("elbowroom_rescheduler_leader").set(now.leads ? 1 : 0);
  metrics_.gauge("elbowroom_rescheduler_lease_trouble").set(now.lease.empty() ? 0 : 1);
  metrics_.gauge("elbowroom_rescheduler_budgets").set(as_double(now.budgets));
  metrics_.gauge("elbowroom_rescheduler_nodes").set(as_double(now.nodes));
  metrics_.gauge("elbowroom_pods").set(as_double(now.pods));
  metrics_.gauge("elbowroom_rescheduler_unreadable_budgets").set(as_double(now.unreadable));
  counts_ = is;
}

}  // namespace elbowroom::rescheduler
