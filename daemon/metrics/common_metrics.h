// The metrics of every daemon: turns of its loops and calls to the API server. A series is looked
// up when it first changes and then kept, so a turn needs no lookup by labels. `metrics` must
// outlive these objects and have the families of daemon_families(), and for calls those of
// apiserver_families().
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "daemon/metrics/metrics.h"

namespace elbowroom::daemon {

// Adds the increase from one total to another; nothing if the total did not rise.
void rise(const Counter& counter, std::uint64_t was, std::uint64_t is);

// Any thread may use it.
class LoopMetrics {
 public:
  explicit LoopMetrics(const Metrics& metrics) : metrics_(metrics) {}

  // Records one turn of the loop and its duration without waits.
  void turned(std::string_view loop, std::chrono::nanoseconds worked);

 private:
  struct Series {
    Histogram duration;
    Gauge last_success;
    Counter overruns;
  };

  [[nodiscard]] const Series& series_of(std::string_view loop);

  const Metrics& metrics_;
  std::mutex mutex_{};
  std::map<std::string, Series, std::less<>> loops_{};
};

// A finished call to the API server; see api::RequestOutcome.
struct ServerCall {
  std::string_view verb{};  // this and the resource: strings with static lifetime
  std::string_view resource{};
  int status = 0;  // 0: no answer
  std::chrono::nanoseconds took{};
};

// Only one thread may use it.
class CallMetrics {
 public:
  explicit CallMetrics(const Metrics& metrics);

  // The duration of a watch is not recorded: it has no meaning.
  void called(const ServerCall& call);

 private:
  using Asked = std::tuple<std::string_view, std::string_view, int>;  // verb, resource, status

  [[nodiscard]] const Counter& requests(const ServerCall& call);

  const Metrics& metrics_;
  const Histogram durations_;
  std::map<Asked, Counter> requests_{};
};

}  // namespace elbowroom::daemon
