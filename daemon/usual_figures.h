// How the figures that every daemon has are moved: its loops' turns and its calls of the API
// server. The one thing to know: `metrics` must have the families of daemon_families(), and for
// calls those of apiserver_families().
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "daemon/metrics.h"

namespace elbowroom::daemon {

// A total that went from one value to another; one that did not rise moves nothing.
void rise(const Counter& counter, std::uint64_t was, std::uint64_t is);

// One turn of the loop, and how long it took without its waits.
void turned(const Metrics& metrics, std::string_view loop, std::chrono::nanoseconds worked);

// A call of the API server that has ended; see api::Called.
struct ServerCall {
  std::string_view verb{};
  std::string_view resource{};
  int status = 0;  // 0: there was no answer
  std::chrono::nanoseconds took{};
};

// A watch lasts as long as it likes: its time is not told.
void called(const Metrics& metrics, const ServerCall& call);

}  // namespace elbowroom::daemon
