// Exponential backoff with jitter, so that many clients do not retry together. Callers pass the
// time, and the random numbers come from the seed, so a run can be repeated.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

#include "api/transport/token_bucket.h"

namespace elbowroom::api {

// The defaults are client-go's for reflectors. Source: client-go tools/cache reflector.go.
struct BackoffOptions {
  std::chrono::milliseconds initial{800};
  std::chrono::milliseconds cap{30'000};           // before jitter, which at most doubles it
  std::chrono::milliseconds reset_after{120'000};  // without a call of next()
};

class Backoff {
 public:
  Backoff(BackoffOptions options, std::uint64_t seed)
      : options_(options), random_(seed), step_(options.initial) {}

  // In [d, 2d), where d doubles with each call, up to the cap.
  [[nodiscard]] std::chrono::milliseconds next(Clock::time_point now);

 private:
  BackoffOptions options_;
  std::mt19937_64 random_;
  std::chrono::milliseconds step_;
  Clock::time_point last_{};
};

}  // namespace elbowroom::api
