#include "rescheduler/rescheduler_metrics.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "control/replica_figures.h"
#include "control/server_metrics.h"
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
  const daemon::MetricFamily certificates = control::certificate_family({"client", "webhook"});
  *std::ranges::find(all, certificates.name, &daemon::MetricFamily::name) = certificates;
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
      {"elbowroom_rescheduler_moves_total",
       Counter,
       "",
       {{"policy", {"UnderutilizedNode", "AffinityPreference"}},
        {"result", {"evicted", "blocked", "failed", "unknown"}}},
       "Moves by what came of the eviction; blocked: by a disruption budget, each news once"},
      {"elbowroom_rescheduler_move_gain_promised_points_total",
       Counter,
       "",
       {{"policy", {"UnderutilizedNode", "AffinityPreference"}}},
       "The sum of the gains that moved pods were promised, in percent points"},
      {"elbowroom_rescheduler_move_gain_achieved_points_total",
       Counter,
       "",
       {{"policy", {"UnderutilizedNode", "AffinityPreference"}}},
       "The sum of the gains that their successors have achieved, in percent points"},
      {"elbowroom_rescheduler_moves_came_back_total",
       Counter,
       "",
       {{"policy", {"UnderutilizedNode", "AffinityPreference"}}},
       "Moves whose pods came up on the node that they had left"},
      {"elbowroom_rescheduler_moves_pending_total",
       Counter,
       "",
       {{"policy", {"UnderutilizedNode", "AffinityPreference"}}},
       "Moves whose pods did not run after ten minutes"},
      {"elbowroom_rescheduler_passes_total",
       Counter,
       "",
       {},
       "Times that the cluster was looked over for moves"},
      {"elbowroom_rescheduler_pass_duration_seconds",
       Histogram,
       "seconds",
       {},
       "Time one pass over the cluster took"},
      {"elbowroom_rescheduler_moves_under_way", Gauge, "", {}, "Moves that have not come to rest"},
      {"elbowroom_rescheduler_resting_owners", Gauge, "", {}, "Owners that rest after a move"},
      {"elbowroom_rescheduler_refused_configurations_total",
       Counter,
       "",
       {},
       "ConfigMaps of moves that could not be understood"},
      {"elbowroom_rescheduler_failed_rests_total",
       Counter,
       "",
       {},
       "Times that the rests of owners were not written, so that nothing was moved"},
      {"elbowroom_rescheduler_reviews_total",
       Counter,
       "",
       {{"result", {"allowed", "refused", "unsure"}}},
       "Reviews that the webhook answered; refused: by a disruption budget; unsure: refused or let "
       "pass without knowing, or not understood"},
      {"elbowroom_rescheduler_webhook_serving",
       Gauge,
       "",
       {},
       "1 while the webhook has a valid certificate to show, else 0; without a webhook 1"},
      {"elbowroom_rescheduler_webhook_failed_handshakes_total",
       Counter,
       "",
       {},
       "Connections to the webhook that came to no TLS session"},
      {"elbowroom_rescheduler_webhook_late_total",
       Counter,
       "",
       {},
       "Reviews that were not answered in time"},
      {"elbowroom_rescheduler_webhook_unanswered_total",
       Counter,
       "",
       {},
       "Connections that the webhook closed before it answered their request"},
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

Figures::Figures(const daemon::Metrics& metrics)
    : metrics_(metrics),
      server_(metrics),
      passes_(metrics.histogram("elbowroom_rescheduler_pass_duration_seconds")) {}

ReschedulerReports Figures::reports() {
  ReschedulerReports reports;
  server_.hear(reports);
  reports.measured = [this](const ReschedulerStatus& now) { follow(now); };
  // One turn of the reactor makes one pass at most.
  reports.judged = [this](std::uint64_t /*passes*/, std::chrono::nanoseconds worked) {
    passes_.observe(std::chrono::duration<double>(worked).count());
  };
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
  total("elbowroom_rescheduler_passes_total", counts_.passes, is.passes);
  total("elbowroom_rescheduler_refused_configurations_total", counts_.refused_settings,
        is.refused_settings);
  total("elbowroom_rescheduler_failed_rests_total", counts_.failed_rests, is.failed_rests);
  for (const auto policy :
       {policy::MovePolicy::UnderutilizedNode, policy::MovePolicy::AffinityPreference}) {
    const auto at = static_cast<std::size_t>(policy);
    const std::string name(to_string(policy));
    const MoveCounts& was = counts_.moves.at(at);
    const MoveCounts& now_is = is.moves.at(at);
    constexpr std::string_view kMoves = "elbowroom_rescheduler_moves_total";
    total(kMoves, was.evicted, now_is.evicted, {{"policy", name}, {"result", "evicted"}});
    total(kMoves, was.blocked, now_is.blocked, {{"policy", name}, {"result", "blocked"}});
    total(kMoves, was.failed, now_is.failed, {{"policy", name}, {"result", "failed"}});
    total(kMoves, was.unknown, now_is.unknown, {{"policy", name}, {"result", "unknown"}});
    total("elbowroom_rescheduler_move_gain_promised_points_total", was.promised, now_is.promised,
          {{"policy", name}});
    total("elbowroom_rescheduler_move_gain_achieved_points_total", was.achieved, now_is.achieved,
          {{"policy", name}});
    total("elbowroom_rescheduler_moves_came_back_total", was.came_back, now_is.came_back,
          {{"policy", name}});
    total("elbowroom_rescheduler_moves_pending_total", was.pending, now_is.pending,
          {{"policy", name}});
  }
  constexpr std::string_view kReviews = "elbowroom_rescheduler_reviews_total";
  total(kReviews, counts_.reviews.allowed, is.reviews.allowed, {{"result", "allowed"}});
  total(kReviews, counts_.reviews.refused, is.reviews.refused, {{"result", "refused"}});
  total(kReviews, counts_.reviews.unsure + unread_reviews_, is.reviews.unsure + now.unread_reviews,
        {{"result", "unsure"}});
  unread_reviews_ = now.unread_reviews;
  total("elbowroom_rescheduler_webhook_unanswered_total", webhook_.unanswered,
        now.webhook.unanswered);
  total("elbowroom_rescheduler_webhook_failed_handshakes_total", webhook_.handshakes_failed,
        now.webhook.handshakes_failed);
  total("elbowroom_rescheduler_webhook_late_total", webhook_.late, now.webhook.late);
  metrics_.gauge("elbowroom_rescheduler_webhook_serving")
      .set(!now.has_webhook || now.webhook.is_serving ? 1 : 0);
  control::set_certificate(metrics_, "webhook", now.webhook.expires);
  webhook_ = now.webhook;
  metrics_.gauge("elbowroom_rescheduler_moves_under_way").set(as_double(now.moving));
  metrics_.gauge("elbowroom_rescheduler_resting_owners").set(as_double(now.resting));
  metrics_.gauge("elbowroom_rescheduler_leader").set(now.leads ? 1 : 0);
  metrics_.gauge("elbowroom_rescheduler_lease_trouble").set(now.lease.empty() ? 0 : 1);
  metrics_.gauge("elbowroom_rescheduler_budgets").set(as_double(now.budgets));
  metrics_.gauge("elbowroom_rescheduler_nodes").set(as_double(now.nodes));
  metrics_.gauge("elbowroom_pods").set(as_double(now.pods));
  metrics_.gauge("elbowroom_rescheduler_unreadable_budgets").set(as_double(now.unreadable));
  counts_ = is;
}

}  // namespace elbowroom::rescheduler
