// A client-side rate limit: so many requests at once, then so many a second. It is told the time
// and never waits itself.
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

  // Takes a token if there is one.
  [[nodiscard]] bool take(Clock::time_point now);

  // How long until there is a token; 0: now.
  [[nodiscard]] Clock::duration wait(Clock::time_point now) const;

 private:
  Rate rate_;
  // When the bucket will be full again; each token taken moves it by per_request.
  Clock::time_point full_at_{};
};

}  // namespace elbowroom::api
