#include "agent/figures.h"

#include <array>
#include <string_view>

namespace elbowroom::agent {
namespace {

constexpr std::array kOutcomes = {"completed", "deferred", "infeasible", "error", "contended"};
constexpr std::array kReasons = {"Deferred", "Infeasible"};

std::uint64_t in(const std::map<std::string, std::uint64_t>& counts, std::string_view key) {
  const auto at = counts.find(std::string(key));
  return at == counts.end() ? 0 : at->second;
}

}  // namespace

Figures::Figures(daemon::Metrics& metrics) : metrics_(metrics) { follow({}); }

void Figures::follow(const Snapshot& now) {
  const Counts& counts = now.counts;
  const auto rise = [&](const daemon::Counter& counter, std::uint64_t was, std::uint64_t is) {
    if (is > was) counter.add(static_cast<double>(is - was));
  };
  for (const char* outcome : kOutcomes) {
    rise(metrics_.counter("elbowroom_resize_outcomes_total", "Resizes by what became of them",
                          {{"outcome", outcome}}),
         in(last_.outcomes, outcome), in(counts.outcomes, outcome));
  }
  for (const char* reason : kReasons) {
    metrics_
        .gauge("elbowroom_pending_resizes", "Resizes that wait, by reason", {{"reason", reason}})
        .set(static_cast<double>(in(counts.pending, reason)));
  }
  rise(metrics_.counter("elbowroom_resize_judgements_total", "Judgements of pending resizes"),
       last_.judged, counts.judged);
  rise(metrics_.counter("elbowroom_state_writes_total", "Checkpoints made durable"), last_.saves,
       counts.saves);
  rise(metrics_.counter("elbowroom_state_write_errors_total",
                        "Checkpoints that could not be written"),
       last_.save_failures, counts.save_failures);
  rise(metrics_.counter("elbowroom_disruptions_total", "Pods removed for critical pods",
                        {{"kind", "stop"}, {"reason", "critical"}}),
       last_.removals, counts.removals);
  rise(metrics_.counter("elbowroom_disruption_blocked_total", "Removals that were not begun",
                        {{"by", "breaker"}}),
       last_.removals_blocked, counts.removals_blocked);
  rise(metrics_.counter("elbowroom_rejected_inputs_total", "Objects that could not be understood",
                        {{"source", "api"}, {"reason", "pod"}}),
       last_.unreadable_pods, counts.unreadable_pods);
  rise(metrics_.counter("elbowroom_undone_writes_total",
                        "Writes of this agent that somebody else undid"),
       last_.undone, counts.undone);
  metrics_
      .gauge("elbowroom_contended",
             "1 where the agent stopped, because somebody else writes what is its own; else 0")
      .set(now.contended ? 1 : 0);
  metrics_.gauge("elbowroom_pods", "Pods of this node").set(static_cast<double>(now.pods));
  for (const ReadyCheck& check : now.checks) {
    metrics_.gauge("elbowroom_ready", "Whether a part is ready, 1 or 0", {{"check", check.name}})
        .set(check.ok ? 1 : 0);
  }
  last_ = counts;
}

}  // namespace elbowroom::agent
