// Sizes of containers in the three tongues of Linux: what the API says (millicores, bytes), what
// CRI and cgroup v1 say (shares, quota and period), and what cgroup v2 says (weight). Conversions
// lose digits, so "actual equals allocated" is asked of the converted value, never of one that was
// converted back.
#pragma once

#include <cstdint>

#include "cri/types.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::cri {

inline constexpr std::int64_t kDefaultPeriodUs = 100'000;
inline constexpr std::int64_t kMinShares = 2;
inline constexpr std::int64_t kMaxShares = 262'144;
inline constexpr std::int64_t kMinQuotaUs = 1'000;

// cgroup v1 shares, which is what CRI carries on every cgroup version: 1000m is 1024, rounded down,
// within the kernel's bounds [2, 262144]. Source: kubelet cm/helpers_linux.go MilliCPUToShares.
[[nodiscard]] std::int64_t shares_for(policy::MilliCpu request);

// CFS quota in microseconds for each `period_us` (> 0); 0, no quota, for no limit; at least 1000.
// Source: kubelet cm/helpers_linux.go MilliCPUToQuota.
[[nodiscard]] std::int64_t quota_for(policy::MilliCpu limit,
                                     std::int64_t period_us = kDefaultPeriodUs);

// cgroup v2 cpu.weight by the linear map that runtimes used first, [1, 10000]; shares of 0 count
// as 2. Source: opencontainers/runc libcontainer cgroups ConvertCPUSharesToCgroupV2Value.
[[nodiscard]] std::int64_t weight_for(std::int64_t shares);

// Back by the same linear map, to shares that convert to that weight again; hostile weights are
// brought within bounds.
[[nodiscard]] std::int64_t shares_of_weight(std::int64_t weight);

// True when a runtime may have written `weight` for `shares`: by the linear map, or by the
// logarithmic one of later runtimes (1024 shares is weight 100), to within 1.
[[nodiscard]] bool weight_matches(std::int64_t shares, std::int64_t weight);

// Back, rounded up; below 2 shares nothing. Hostile values are brought within bounds.
// Source: kubelet cm/helpers_linux.go.
[[nodiscard]] policy::MilliCpu request_of(std::int64_t shares);

// Back, rounded down; no quota (0 or less) or a period of 0 or less is no limit (0).
[[nodiscard]] policy::MilliCpu limit_of(std::int64_t quota_us, std::int64_t period_us);

// What a container of that size is created with; no limit is 0.
[[nodiscard]] RuntimeResources resources_for(const policy::Requirements& size);

// What a container that was actuated at `before` is updated with to be `after`: as above, but a
// limit that is gone is -1, because 0 would leave it as it is.
[[nodiscard]] RuntimeResources update_for(const policy::Requirements& before,
                                          const policy::Requirements& after);

// What a container really has: shares as the runtime reports them (the cgroup has them in a form
// that depends on the runtime), quota, period and memory limit from its cgroup. Where one of the
// two is missing the other answers for both.
[[nodiscard]] std::optional<RuntimeResources> actual_of(
    const std::optional<RuntimeResources>& reported,
    const std::optional<RuntimeResources>& in_cgroup);

// True when a container of that size would read back as `actual`. Memory limits that the kernel
// rounded down to whole pages match; periods may differ as long as the share of a cpu is the same.
[[nodiscard]] bool matches(const policy::Requirements& size, const RuntimeResources& actual);

// What the API says of a container with that `actual` size when `allocated` was asked for: the
// allocated figure wherever it matches, else the one converted back. The runtime keeps no memory
// request: the allocated one stands. Other resources as allocated.
[[nodiscard]] policy::Requirements requirements_of(const policy::Requirements& allocated,
                                                   const RuntimeResources& actual);

}  // namespace elbowroom::cri
