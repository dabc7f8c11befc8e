// How long a virtual daemon's calls take. With a network they take virtual time, the faults of the
// lab apply, and observations arrive one by one. Without one a daemon sees every change at once,
// and its effects are performed when it decides them: only the world or the runtime can refuse one,
// so a timeline shows decisions, not latencies.
#pragma once

#include <cstdint>

namespace elbowroom::lab {

enum class Latency : std::uint8_t { Network, None };

}  // namespace elbowroom::lab
