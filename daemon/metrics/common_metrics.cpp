#include "daemon/metrics/common_metrics.h"

namespace elbowroom::daemon {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

void rise(const Counter& counter, std::uint64_t was, std::uint64_t is) {
  if (is > was) counter.add(static_cast<double>(is - was));
}

void LoopMetrics::turned(std::string_view loop, std::chrono::nanoseconds worked) {
  const Series& series = series_of(loop);
  series.duration.observe(Seconds(worked).count());
  const Seconds now = std::chrono::system_clock::now().time_since_epoch();
  series.last_success.set(now.count());
  if (worked > std::chrono::seconds(1)) series.overruns.add();
}

const LoopMetrics::Series& LoopMetrics::series_of(std::string_view loop) {
  const std::lock_guard lock(mutex_);
  auto at = loops_.find(loop);
  if (at == loops_.end()) {
    const Labels labels = {{"loop", std::string(loop)}};
    at =
        loops_
            .emplace(std::string(loop),
                     Series{metrics_.histogram("elbowroom_loop_duration_seconds", labels),
                            metrics_.gauge("elbowroom_loop_last_success_timestamp_seconds", labels),
                            metrics_.counter("elbowroom_loop_overruns_total", labels)})
            .first;
  }
  return at->second;
}

CallMetrics::CallMetrics(const Metrics& metrics)
    : metrics_(metrics),
      durations_(metrics.histogram("elbowroom_apiserver_request_duration_seconds")) {}

void CallMetrics::called(const ServerCall& call) {
  requests(call).add();
  if (call.verb != "WATCH") durations_.observe(Seconds(call.took).count());
}

const Counter& CallMetrics::requests(const ServerCall& call) {
  const Asked asked{call.verb, call.resource, call.status};
  auto at = requests_.find(asked);
  if (at == requests_.end()) {
    const Labels labels = {{"verb", std::string(call.verb)},
                           {"resource", std::string(call.resource)},
                           {"code", call.status == 0 ? "none" : std::to_string(call.status)}};
    at = requests_.emplace(asked, metrics_.counter("elbowroom_apiserver_requests_total", labels))
             .first;
  }
  return at->second;
}

}  // namespace elbowroom::daemon
