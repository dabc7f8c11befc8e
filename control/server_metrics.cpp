#include "control/server_metrics.h"

#include <string>
#include <utility>

namespace elbowroom::control {

using daemon::rise;

namespace {

constexpr std::string_view kCertificateExpiration =
    "elbowroom_certificate_expiration_timestamp_seconds";

}  // namespace

void ServerMetrics::follow(const ApiRound& round) {
  for (const CollectionRound& each : round.collections) {
    stale(each.row->resource, each.freshness, round.now);
  }
  constexpr std::string_view kDropped = "elbowroom_events_dropped_total";
  rise(metrics_.counter(kDropped, {{"cause", "superseded"}}), round_.events_superseded,
       round.events_superseded);
  rise(metrics_.counter(kDropped, {{"cause", "refused"}}), round_.events_dropped,
       round.events_dropped);
  rise(metrics_.counter("elbowroom_rejected_inputs_total",
                        {{"source", "api"}, {"reason", "too_large"}}),
       round_.reduced_pods, round.reduced_pods);
  set_certificate(metrics_, "client", round.certificate_expires.value_or(policy::Time{}));
  round_ = round;
}

void ServerMetrics::stale(std::string_view resource, const api::Freshness& is,
                          api::Clock::time_point now) const {
  if (is.heard == api::Clock::time_point{}) return;  // nothing yet
  metrics_.gauge("elbowroom_cache_staleness_seconds", {{"resource", std::string(resource)}})
      .set(std::chrono::duration<double>(now - is.heard).count());
}

void ServerMetrics::called(const api::RequestOutcome& call) {
  calls_.called(
      {.verb = call.verb, .resource = call.resource, .status = call.status, .took = call.took});
}

void ServerMetrics::turned(std::string_view loop, std::chrono::nanoseconds worked) {
  loops_.turned(loop, worked);
}

void ServerMetrics::suppressed(std::uint64_t lines) {
  rise(metrics_.counter("elbowroom_log_lines_suppressed_total"), suppressed_, lines);
  suppressed_ = lines;
}

daemon::MetricFamily staleness_family(std::vector<std::string_view> resources) {
  return {"elbowroom_cache_staleness_seconds",
          daemon::MetricType::Gauge,
          "seconds",
          {{"resource", std::move(resources)}},
          "Time since a list, an event or a bookmark of that resource came"};
}

daemon::MetricFamily certificate_family(std::vector<std::string_view> which) {
  return {
      kCertificateExpiration,
      daemon::MetricType::Gauge,
      "seconds",
      {{"certificate", std::move(which)}},
      "When a certificate of this program expires, in seconds since 1970; without one 0. client: "
      "it is shown to the API server; webhook: by the rescheduler's webhook"};
}

void set_certificate(const daemon::Metrics& metrics, std::string_view certificate,
                     std::chrono::system_clock::time_point expires) {
  metrics.gauge(kCertificateExpiration, {{"certificate", std::string(certificate)}})
      .set(std::chrono::duration<double>(expires.time_since_epoch()).count());
}

daemon::MetricFamily dropped_events_family() {
  return {"elbowroom_events_dropped_total",
          daemon::MetricType::Counter,
          "",
          {{"cause", {"superseded", "refused"}}},
          "Kubernetes Events that were not written: a newer one of the same object and reason came "
          "before their turn; or there was no room for them, no time, or the API server refused "
          "them"};
}

}  // namespace elbowroom::control
