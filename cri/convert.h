// Sizes of containers in the three formats of Linux: the API (millicores, bytes), CRI and cgroup v1
// (shares, quota and period), and cgroup v2 (weight). Conversions lose digits, so "actual equals
// allocated" is checked on the converted value, never on a value that was converted back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cri/types.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::cri {

inline constexpr std::int64_t kDefaultPeriodUs = 100'000;
inline constexpr std::int64_t kMinShares = 2;
inline constexpr std::int64_t kMaxShares = 262'144;
inline constexpr std::int64_t kMinQuotaUs = 1'000;

// cgroup v1 shares, which CRI uses on every cgroup version: 1000m is 1024, rounded down, within the
// kernel's bounds [2, 262144]. Source: kubelet cm/helpers_linux.go MilliCPUToShares.
[[nodiscard]] std::int64_t shares_for(policy::MilliCpu request);

// CFS quota in microseconds per `period_us` (> 0), at least 1000. No limit gives 0 (no quota).
// Source: kubelet cm/helpers_linux.go MilliCPUToQuota.
[[nodiscard]] std::int64_t quota_for(policy::MilliCpu limit,
                                     std::int64_t period_us = kDefaultPeriodUs);

// cgroup v2 cpu.weight by that map, [1, 10000]; shares of 0 count as 2. Source: opencontainers/runc
// libcontainer cgroups ConvertCPUSharesToCgroupV2Value, opencontainers/cgroups.
[[nodiscard]] std::int64_t weight_for(std::int64_t shares, WeightMap map = WeightMap::Linear);

// The inverse, to shares that convert to that weight again. Hostile weights are clamped.
[[nodiscard]] std::int64_t shares_of_weight(std::int64_t weight, WeightMap map = WeightMap::Linear);

// True if a program may have written `weight` for `shares` by that map, to within 1 by the
// logarithmic one. Without a map: by either.
[[nodiscard]] bool weight_matches(std::int64_t shares, std::int64_t weight,
                                  std::optional<WeightMap> map = {});

// The only map by which `weight` was written for `shares`. None: both or neither give it.
[[nodiscard]] std::optional<WeightMap> map_of_weight(std::int64_t shares, std::int64_t weight);

// The inverse, rounded up; zero below 2 shares. Hostile values are clamped. Source: kubelet
// cm/helpers_linux.go.
[[nodiscard]] policy::MilliCpu request_of(std::int64_t shares);

// The inverse, rounded down. No quota (0 or less), or a period of 0 or less, is no limit (0).
[[nodiscard]] policy::MilliCpu limit_of(std::int64_t quota_us, std::int64_t period_us);

// The resources to create a container of that size with; no limit is 0.
[[nodiscard]] RuntimeResources resources_for(const policy::Requirements& size);

// The resources to update a container from its actuated size `before` to `after`. As above, but a
// removed limit is -1, because 0 would leave it unchanged.
[[nodiscard]] RuntimeResources update_for(const policy::Requirements& before,
                                          const policy::Requirements& after);

// The actual size of a container: shares as the runtime reports them (in the cgroup their form
// depends on the runtime); quota, period and memory limit from its cgroup. If one source is
// missing, the other replaces it.
[[nodiscard]] std::optional<RuntimeResources> actual_of(
    const std::optional<RuntimeResources>& reported,
    const std::optional<RuntimeResources>& in_cgroup);

// True if a container of that size would read back as `actual`. Memory limits that the kernel
// rounded down to whole pages match. Periods may differ if the share of a cpu is the same.
[[nodiscard]] bool matches(const policy::Requirements& size, const RuntimeResources& actual);

// The API form of a container with that `actual` size and that `allocated` size: the allocated
// figure wherever it matches, otherwise the converted one. The runtime keeps no memory request, so
// the allocated one is used. Other resources as allocated. A weight is read by `map`; without one
// it matches by either map, and is converted by the linear one.
[[nodiscard]] policy::Requirements requirements_of(const policy::Requirements& allocated,
                                                   const RuntimeResources& actual,
                                                   std::optional<WeightMap> map = {});

// "cpu 100/1000 memory 67108864/0": millicores and bytes, requests before limits, 0 for none.
[[nodiscard]] std::string text_of_size(const policy::Requirements& size);
// The inverse. None: it is no such text, or an amount is negative.
[[nodiscard]] std::optional<policy::Requirements> size_from_text(std::string_view text);

}  // namespace elbowroom::cri
