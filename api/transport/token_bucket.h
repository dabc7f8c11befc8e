// A client-side rate limit: a burst of requests, then a fixed rate. Callers pass the time; it never
// waits itself.
#pragma once

#include <chrono>
#include <cstdint>

namespace elbowroom::api {

using Clock = std::chrono::steady_clock;

struct Rate {
  std::chrono::milliseconds per_request{200};  // 5 a second
  std::int64_t burst = 10;

  friend bool operator==(const Rate&, const Rate&) = default;
};

class TokenBucket {
 public:
  // Full at the start. Requires per_request >= 0 (0: no limit) and burst > 0.
  explicit TokenBucket(Rate rate) : rate_(rate) {}

  // Takes a token, if available.
  [[nodiscard]] bool take(Clock::time_point now);

  // The time until a token is available; 0: now.
  [[nodiscard]] Clock::duration wait(Clock::time_point now) const;

 private:
  Rate rate_;
  // When the bucket will be full again; each token moves it by per_request.
  Clock::time_point full_at_{};
};

}  // namespace elbowroom::api
