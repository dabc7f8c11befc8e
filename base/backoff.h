// The delay of an exponential backoff: it doubles with each failure up to a limit. Jitter and the
// clock are the caller's.
#pragma once

namespace elbowroom {

// `first` for no failures before, then twice as long for each, at most `longest`. Both are
// positive.
template <class Duration>
[[nodiscard]] constexpr Duration backoff_delay(Duration first, Duration longest,
                                               unsigned failures) {
  Duration delay = first;
  while (failures-- > 0 && delay < longest) delay += delay;
  return delay < longest ? delay : longest;
}

}  // namespace elbowroom
