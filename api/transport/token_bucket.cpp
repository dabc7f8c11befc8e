#include "api/transport/token_bucket.h"

#include <algorithm>

namespace elbowroom::api {

bool TokenBucket::take(Clock::time_point now) {
  if (wait(now) > Clock::duration::zero()) return false;
  full_at_ = std::max(full_at_, now) + rate_.per_request;
  return true;
}

Clock::duration TokenBucket::wait(Clock::time_point now) const {
  // With k tokens missing, the bucket is full in k * per_request. A token is available while k <
  // burst.
  const Clock::duration missing = full_at_ - now;
  const Clock::duration allowed = rate_.per_request * (rate_.burst - 1);
  return std::max(missing - allowed, Clock::duration::zero());
}

}  // namespace elbowroom::api
