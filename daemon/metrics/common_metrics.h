// The figures that every daemon has: its loops' turns and its calls of the API server. A series is
// looked up when it first moves and kept, so that a turn costs no lookup by labels; `metrics` must
// outlive them and have the families of daemon_families(), and for calls those of
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

// A total that went from one value to another; one that did not rise moves nothing.
void rise(const Counter& counter, std::uint64_t was, std::uint64_t is);

// Of any thread.
class LoopMetrics {
 public:
  explicit LoopMetrics(const Metrics& metrics) : metrics_(metrics) {}

  // One turn of the loop, and how long it took without its waits.
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

// A call of the API server that has ended; see api::RequestOutcome.
struct ServerCall {
  std::string_view verb{};  // this and the resource: words that never end
  std::string_view resource{};
  int status = 0;  // 0: there was no answer
  std::chrono::nanoseconds took{};
};

// Of one thread.
class CallMetrics {
 public:
  explicit CallMetrics(const Metrics& metrics);

  // A watch lasts as long as it likes: its time is not told.
  void called(const ServerCall& call);

 private:
  using Asked = std::tuple<std::string_view, std::string_view, int>;  // verb, resource, status

  [[nodiscard]] const Counter& requests(const ServerCall& call);

  const Metrics& metrics_;
  const Histogram durations_;
  std::map<Asked, Counter> requests_{};
};

}  // namespace elbowroom::daemon
