#include "agent/program/agent_metrics.h"

#include <array>
#include <string>
#include <utility>

#include "daemon/metrics/common_metrics.h"

namespace elbowroom::agent {
namespace {

using daemon::rise;
using Seconds = std::chrono::duration<double>;

std::uint64_t in(const std::map<std::string, std::uint64_t>& counts, const std::string& key) {
  const auto at = counts.find(key);
  return at == counts.end() ? 0 : at->second;
}

// RESOURCE/REQUIREMENT/OPERATION
daemon::Labels labels_of(const std::string& request) {
  const std::size_t first = request.find('/');
  const std::size_t last = request.rfind('/');
  return {{"resource", request.substr(0, first)},
          {"requirement", request.substr(first + 1, last - first - 1)},
          {"operation", request.substr(last + 1)}};
}

std::string class_of(Code code) {
  switch (code) {
    case Code::Unavailable:
      return "passing";
    case Code::Denied:
      return "denied";
    case Code::NotFound:
      return "missing";
    default:
      return "other";
  }
}

double as_double(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace

Figures::Figures(const daemon::Metrics& metrics, bool authority)
    : metrics_(metrics), server_(metrics) {
  metrics_.gauge("elbowroom_mode_info", {{"mode", authority ? "authority" : "companion"}}).set(1);
}

AgentReports Figures::reports() {
  AgentReports reports;
  server_.hear(reports);
  reports.changed = [this](const Snapshot& now) { follow(now); };
  reports.saved = [this](const SaveOutcome& outcome) { follow(outcome); };
  reports.measured = [this](const NodeTotals& now) { follow(now); };
  reports.followed = [this](const ApiRound& round) { follow(round); };
  reports.runtime_called = [this](const cri::CallOutcome& call) { follow(call); };
  reports.corrupt = [this] { corrupt(); };
  return reports;
}

void Figures::follow(const Snapshot& now) {
  const Counts& is = now.counts;
  const auto total = [this](std::string_view name, const daemon::Labels& labels,
                            std::uint64_t before, std::uint64_t after) {
    if (after > before) rise(metrics_.counter(name, labels), before, after);
  };
  for (const auto& [outcome, count] : is.outcomes) {
    total("elbowroom_resize_outcomes_total", {{"outcome", outcome}}, in(counts_.outcomes, outcome),
          count);
  }
  for (const auto& [request, count] : is.requests) {
    total("elbowroom_resize_requests_total", labels_of(request), in(counts_.requests, request),
          count);
  }
  for (const char* reason : {"Deferred", "Infeasible"}) {
    metrics_.gauge("elbowroom_pending_resizes", {{"reason", reason}})
        .set(as_double(in(is.pending, reason)));
  }
  for (const PhaseTook& each : now.took) {
    metrics_.histogram("elbowroom_resize_duration_seconds", {{"phase", each.phase}})
        .observe(Seconds(each.time).count());
  }
  total("elbowroom_resize_judgements_total", {}, counts_.judged, is.judged);
  total("elbowroom_disruptions_total",
        {{"kind", "stop"}, {"reason", "critical"}, {"dry_run", "false"}}, counts_.removals,
        is.removals);
  constexpr std::string_view kBlocked = "elbowroom_disruption_blocked_total";
  total(kBlocked, {{"by", "budget"}}, counts_.removals_blocked, is.removals_blocked);
  total(kBlocked, {{"by", "refused"}}, counts_.removals_refused, is.removals_refused);
  total(kBlocked, {{"by", "disk"}}, counts_.removals_unsaved, is.removals_unsaved);
  total("elbowroom_rejected_inputs_total", {{"source", "api"}, {"reason", "pod"}},
        counts_.unreadable_pods, is.unreadable_pods);
  total("elbowroom_undone_writes_total", {}, counts_.undone, is.undone);
  total("elbowroom_checkpoint_overruled_total", {}, counts_.overruled, is.overruled);
  metrics_.gauge("elbowroom_contended").set(now.contended ? 1 : 0);
  metrics_.gauge("elbowroom_safe_mode").set(now.safe_mode ? 1 : 0);
  metrics_.gauge("elbowroom_pods").set(as_double(now.pods));
  for (const ReadyCheck& check : now.checks) {
    metrics_.gauge("elbowroom_ready", {{"check", check.name}}).set(check.ok ? 1 : 0);
  }
  counts_ = is;
}

void Figures::follow(const NodeTotals& now) {
  const std::array<std::pair<const char*, const policy::Resources*>, 4> states = {
      {{"allocatable", &now.allocatable},
       {"desired", &now.desired},
       {"allocated", &now.allocated},
       {"actual", &now.actual}}};
  for (const auto& [state, of] : states) {
    metrics_.gauge("elbowroom_node_resource_cpu_cores", {{"state", state}})
        .set(static_cast<double>(of->cpu.value) / 1000);
    metrics_.gauge("elbowroom_node_resource_memory_bytes", {{"state", state}})
        .set(static_cast<double>(of->memory.value));
  }
  constexpr std::string_view kMismatch = "elbowroom_actuation_mismatch";
  metrics_.gauge(kMismatch, {{"resource", "cpu"}}).set(as_double(now.cpu_mismatches));
  metrics_.gauge(kMismatch, {{"resource", "memory"}}).set(as_double(now.memory_mismatches));
  metrics_.gauge("elbowroom_quarantined_objects").set(as_double(now.quarantined));
  metrics_.gauge("elbowroom_disruption_budget_remaining", {{"kind", "stop"}})
      .set(as_double(now.may_still_stop));
  metrics_.gauge("elbowroom_deferred_age_seconds").set(Seconds(now.deferred_longest).count());
}

void Figures::follow(const SaveOutcome& outcome) {
  metrics_.histogram("elbowroom_state_write_duration_seconds")
      .observe(Seconds(outcome.took).count());
  if (outcome.failure) {
    metrics_
        .counter("elbowroom_state_write_errors_total",
                 {{"errno_class", class_of(*outcome.failure)}})
        .add();
  } else {
    metrics_.gauge("elbowroom_state_bytes").set(as_double(outcome.bytes));
  }
}

void Figures::follow(const ApiRound& round) {
  for (std::size_t place = 0; place < round.collections.size(); ++place) {
    const control::CollectionRound& each = round.collections[place];
    follow_watch(each.row->resource, round_.freshness(place), each.freshness);
  }
  server_.follow(round);
  rise(metrics_.counter("elbowroom_rejected_inputs_total", {{"source", "api"}, {"reason", "node"}}),
       round_.rejected_nodes, round.rejected_nodes);
  constexpr std::string_view kOthers = "elbowroom_foreign_objects_total";
  rise(metrics_.counter(kOthers, {{"resource", "nodes"}}), round_.others_nodes, round.others_nodes);
  rise(metrics_.counter(kOthers, {{"resource", "pods"}}), round_.others_pods, round.others_pods);
  round_ = round;
}

void Figures::follow_watch(std::string_view resource, const api::Freshness& was,
                           const api::Freshness& is) {
  const std::string of(resource);
  constexpr std::array kTypes = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "other"};
  for (std::size_t type = 0; type < kTypes.size(); ++type) {
    if (is.events_by_type.at(type) == was.events_by_type.at(type)) continue;
    rise(metrics_.counter("elbowroom_watch_events_total",
                          {{"resource", of}, {"type", kTypes.at(type)}}),
         was.events_by_type.at(type), is.events_by_type.at(type));
  }
  const auto restarts = [&](const char* cause, std::uint64_t before, std::uint64_t after) {
    if (after == before) return;
    rise(metrics_.counter("elbowroom_watch_restarts_total", {{"resource", of}, {"cause", cause}}),
         before, after);
  };
  restarts("410", was.expired, is.expired);
  restarts("timeout", was.timeouts, is.timeouts);
  restarts("eof", was.cut, is.cut);
  restarts("error", was.errors, is.errors);
}

void Figures::follow(const cri::CallOutcome& call) {
  const std::string code(call.failure ? to_string(*call.failure) : "OK");
  metrics_
      .counter("elbowroom_cri_requests_total",
               {{"method", std::string(call.method)}, {"code", code}})
      .add();
  metrics_.histogram("elbowroom_cri_request_duration_seconds").observe(Seconds(call.took).count());
  if (call.failure != Code::Exhausted) return;
  metrics_
      .counter("elbowroom_rejected_inputs_total", {{"source", "runtime"}, {"reason", "too_large"}})
      .add();
}

void Figures::corrupt() {
  metrics_.counter("elbowroom_state_corruptions_total", {{"file", "allocations"}}).add();
  metrics_.counter("elbowroom_rejected_inputs_total", {{"source", "state"}, {"reason", "corrupt"}})
      .add();
}

}  // namespace elbowroom::agent
