#include "api/transport/backoff.h"

#include <algorithm>

namespace elbowroom::api {

std::chrono::milliseconds Backoff::next(Clock::time_point now) {
  if (now - last_ > options_.reset_after) step_ = options_.initial;
  const std::chrono::milliseconds base = std::max(step_, std::chrono::milliseconds(1));
  const auto chance = random_() % static_cast<std::uint64_t>(base.count());
  step_ = std::min(base * 2, options_.cap);
  // The wait itself does not count as quiet time.
  const auto wait = base + std::chrono::milliseconds(chance);
  last_ = now + wait;
  return wait;
}

}  // namespace elbowroom::api
