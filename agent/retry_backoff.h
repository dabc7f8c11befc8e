// The backoff of failed operations: delays double from 1 s to 60 s, with jitter. The jitter comes
// from the reactor's own seeded sequence, so a replay waits equally long.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/backoff.h"

namespace elbowroom::agent {

// A small deterministic sequence (splitmix64); not for secrets.
struct Jitter {
  std::uint64_t state = 0;

  // Returns 0 to `below` - 1; 0 if `below` is 0.
  std::uint64_t next(std::uint64_t below) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    z ^= z >> 31U;
    return below == 0 ? 0 : z % below;
  }

  friend bool operator==(const Jitter&, const Jitter&) = default;
};

struct Backoff {
  unsigned failures = 0;
  std::chrono::milliseconds not_before{0};  // on the reactor's clock

  [[nodiscard]] bool allows(std::chrono::milliseconds now) const { return now >= not_before; }

  // `asked` is the server's Retry-After, 0 for none; at most 60 s are honoured.
  void fail(std::chrono::milliseconds now, std::chrono::milliseconds asked, Jitter& jitter) {
    using std::chrono::milliseconds;
    constexpr milliseconds kFirst{1000};
    constexpr milliseconds kMost{60'000};
    const milliseconds delay =
        std::min(std::max(backoff_delay(kFirst, kMost, failures), asked), kMost);
    ++failures;
    not_before =
        now + delay + milliseconds(jitter.next(static_cast<std::uint64_t>(delay.count()) / 5 + 1));
  }

  void succeed() { *this = {}; }

  friend bool operator==(const Backoff&, const Backoff&) = default;
};

}  // namespace elbowroom::agent
