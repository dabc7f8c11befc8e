#include "daemon/usual_figures.h"

#include <string>

namespace elbowroom::daemon {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

void rise(const Counter& counter, std::uint64_t was, std::uint64_t is) {
  if (is > was) counter.add(static_cast<double>(is - was));
}

void turned(const Metrics& metrics, std::string_view loop, std::chrono::nanoseconds worked) {
  const Labels labels = {{"loop", std::string(loop)}};
  metrics.histogram("elbowroom_loop_duration_seconds", labels).observe(Seconds(worked).count());
  const Seconds now = std::chrono::system_clock::now().time_since_epoch();
  metrics.gauge("elbowroom_loop_last_success_timestamp_seconds", labels).set(now.count());
  if (worked > std::chrono::seconds(1)) {
    metrics.counter("elbowroom_loop_overruns_total", labels).add();
  }
}

void called(const Metrics& metrics, const ServerCall& call) {
  metrics
      .counter("elbowroom_apiserver_requests_total",
               {{"verb", std::string(call.verb)},
                {"resource", std::string(call.resource)},
                {"code", call.status == 0 ? "none" : std::to_string(call.status)}})
      .add();
  if (call.verb == "WATCH") return;
  metrics.histogram("elbowroom_apiserver_request_duration_seconds")
      .observe(Seconds(call.took).count());
}

}  // namespace elbowroom::daemon
