#include "cri/convert.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace elbowroom::cri {
namespace {

using policy::Bytes;
using policy::MilliCpu;

constexpr std::int64_t kMaxWeight = 10'000;
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();

// value * factor / divisor, rounded down, or up with `up`; kMaxInt where the product exceeds 64
// bits. All must be >= 0, and divisor > 0.
std::int64_t scale(std::int64_t value, std::int64_t factor, std::int64_t divisor, bool up = false) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(value, factor, &product)) return kMaxInt;
  return product / divisor + (up && product % divisor != 0 ? 1 : 0);
}

std::int64_t page_bytes() {
  static const std::int64_t bytes = std::max<std::int64_t>(1, sysconf(_SC_PAGESIZE));
  return bytes;
}

bool has_weight(const RuntimeResources& actual) {
  return actual.cpu_shares <= 0 && actual.cpu_weight > 0;
}

bool cpu_request_matches(MilliCpu request, const RuntimeResources& actual,
                         std::optional<WeightMap> map = {}) {
  const std::int64_t shares = shares_for(request);
  if (has_weight(actual)) return weight_matches(shares, actual.cpu_weight, map);
  return shares == std::max(kMinShares, actual.cpu_shares);
}

bool cpu_limit_matches(MilliCpu limit, const RuntimeResources& actual) {
  if (limit.value == 0) return actual.cpu_quota_us <= 0;
  const std::int64_t period = actual.cpu_period_us > 0 ? actual.cpu_period_us : kDefaultPeriodUs;
  return quota_for(limit, period) == actual.cpu_quota_us;
}

bool memory_limit_matches(Bytes limit, const RuntimeResources& actual) {
  if (limit.value == 0) return actual.memory_limit_bytes <= 0;
  const std::int64_t whole_pages = limit.value - limit.value % page_bytes();
  return actual.memory_limit_bytes == limit.value || actual.memory_limit_bytes == whole_pages;
}

}  // namespace

std::int64_t shares_for(MilliCpu request) {
  return std::clamp(scale(std::max<std::int64_t>(0, request.value), 1024, 1000), kMinShares,
                    kMaxShares);
}

std::int64_t quota_for(MilliCpu limit, std::int64_t period_us) {
  if (limit.value <= 0) return 0;
  return std::max(kMinQuotaUs, scale(limit.value, period_us, 1000));
}

std::int64_t weight_for(std::int64_t shares, WeightMap map) {
  const std::int64_t within = std::clamp(shares, kMinShares, kMaxShares);
  if (map == WeightMap::Linear) return 1 + (within - 2) * 9999 / 262142;
  const double log2 = std::log2(static_cast<double>(within));
  const double exponent = (log2 * log2 + 125.0 * log2) / 612.0 - 7.0 / 34.0;
  const double weight = std::ceil(std::pow(10.0, exponent));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(weight), 1, kMaxWeight);
}

std::int64_t shares_of_weight(std::int64_t weight, WeightMap map) {
  const std::int64_t within = std::clamp<std::int64_t>(weight, 1, kMaxWeight);
  if (map == WeightMap::Linear) return 2 + ((within - 1) * 262142 + 9998) / 9999;
  // The largest shares of that weight. The map grows, so they are found by halving.
  std::int64_t low = kMinShares;
  std::int64_t high = kMaxShares;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (weight_for(middle, map) <= within) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

bool weight_matches(std::int64_t shares, std::int64_t weight, std::optional<WeightMap> map) {
  const bool is_linear = weight == weight_for(shares, WeightMap::Linear);
  const std::int64_t off = weight_for(shares, WeightMap::Logarithmic) - weight;
  const bool is_logarithmic = off >= -1 && off <= 1;
  if (!map) return is_linear || is_logarithmic;
  return *map == WeightMap::Linear ? is_linear : is_logarithmic;
}

std::optional<WeightMap> map_of_weight(std::int64_t shares, std::int64_t weight) {
  const bool is_linear = weight_matches(shares, weight, WeightMap::Linear);
  if (is_linear == weight_matches(shares, weight, WeightMap::Logarithmic)) return std::nullopt;
  return is_linear ? WeightMap::Linear : WeightMap::Logarithmic;
}

MilliCpu request_of(std::int64_t shares) {
  if (shares < kMinShares) return {0};
  return {scale(std::min(shares, kMaxShares), 1000, 1024, true)};
}

MilliCpu limit_of(std::int64_t quota_us, std::int64_t period_us) {
  if (quota_us <= 0 || period_us <= 0) return {0};
  return {scale(quota_us, 1000, period_us)};
}

RuntimeResources resources_for(const policy::Requirements& size) {
  RuntimeResources resources;
  resources.cpu_shares = shares_for(size.requests.cpu);
  resources.cpu_quota_us = quota_for(size.limits.cpu);
  resources.cpu_period_us = kDefaultPeriodUs;
  resources.memory_limit_bytes = size.limits.memory.value;
  return resources;
}

RuntimeResources update_for(const policy::Requirements& before, const policy::Requirements& after) {
  RuntimeResources resources = resources_for(after);
  // Only then: some runtimes cannot write -1 where no quota is set.
  if (after.limits.cpu.value == 0 && before.limits.cpu.value != 0) resources.cpu_quota_us = -1;
  if (after.limits.memory.value == 0 && before.limits.memory.value != 0) {
    resources.memory_limit_bytes = -1;
  }
  return resources;
}

std::optional<RuntimeResources> actual_of(const std::optional<RuntimeResources>& reported,
                                          const std::optional<RuntimeResources>& in_cgroup) {
  if (!reported) return in_cgroup;
  if (!in_cgroup) return reported;
  RuntimeResources actual = *in_cgroup;
  if (reported->cpu_shares > 0) {
    actual.cpu_shares = reported->cpu_shares;
    actual.cpu_weight = 0;
  }
  return actual;
}

bool matches(const policy::Requirements& size, const RuntimeResources& actual) {
  return cpu_request_matches(size.requests.cpu, actual) &&
         cpu_limit_matches(size.limits.cpu, actual) &&
         memory_limit_matches(size.limits.memory, actual);
}

policy::Requirements requirements_of(const policy::Requirements& allocated,
                                     const RuntimeResources& actual, std::optional<WeightMap> map) {
  policy::Requirements told = allocated;
  if (!cpu_request_matches(allocated.requests.cpu, actual, map)) {
    told.requests.cpu = request_of(
        has_weight(actual) ? shares_of_weight(actual.cpu_weight, map.value_or(WeightMap::Linear))
                           : actual.cpu_shares);
  }
  if (!cpu_limit_matches(allocated.limits.cpu, actual)) {
    told.limits.cpu = limit_of(actual.cpu_quota_us, actual.cpu_period_us);
  }
  if (!memory_limit_matches(allocated.limits.memory, actual)) {
    told.limits.memory = Bytes{std::max<std::int64_t>(0, actual.memory_limit_bytes)};
  }
  return told;
}

std::string text_of_size(const policy::Requirements& size) {
  return "cpu " + std::to_string(size.requests.cpu.value) + "/" +
         std::to_string(size.limits.cpu.value) + " memory " +
         std::to_string(size.requests.memory.value) + "/" +
         std::to_string(size.limits.memory.value);
}

std::optional<policy::Requirements> size_from_text(std::string_view text) {
  bool is_whole = true;
  const auto skip = [&](std::string_view word) {
    is_whole = is_whole && text.starts_with(word);
    if (is_whole) text.remove_prefix(word.size());
  };
  const auto amount = [&]() {
    std::int64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    is_whole = is_whole && end.ec == std::errc() && value >= 0;
    if (is_whole) text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
    return value;
  };
  policy::Requirements size;
  skip("cpu ");
  size.requests.cpu = MilliCpu{amount()};
  skip("/");
  size.limits.cpu = MilliCpu{amount()};
  skip(" memory ");
  size.requests.memory = Bytes{amount()};
  skip("/");
  size.limits.memory = Bytes{amount()};
  return is_whole && text.empty() ? std::optional(size) : std::nullopt;
}

}  // namespace elbowroom::cri
