// A pod's own cgroup where systemd manages cgroups: a slice, whose size is set as properties of
// that unit, because systemd may rewrite the files at any time. Systemd keeps quotas in whole
// percents of a cpu, so a pod's quota is rounded up. A value that was only rounded reads back as
// requested.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "cri/cgroup.h"
#include "cri/system_units.h"
#include "cri/types.h"
#include "policy/resize/actuate.h"

namespace elbowroom::cri {

// The properties that carry out one step: CPUWeight (by `map`), MemoryMax, or on version 1
// CPUShares and MemoryLimit; CPUQuotaPerSecUSec with CPUQuotaPeriodUSec. No limit is infinity.
// Source: opencontainers/runc libcontainer/cgroups/systemd (genV1ResourcesProperties,
// genV2ResourcesProperties, addCpuQuota).
[[nodiscard]] std::vector<UnitProperty> slice_properties(CgroupVersion version,
                                                         const policy::SetPod& step,
                                                         WeightMap map = WeightMap::Linear);

// Carries out one step. Idempotent. `slice` is the pod's group; Invalid if it is not a slice.
[[nodiscard]] Result<void> set_pod_slice(SystemUnits& units, CgroupVersion version,
                                         const CgroupPath& slice, const policy::SetPod& step,
                                         WeightMap map = WeightMap::Linear);

// The quota, in microseconds per 100 ms, that a slice has after this one was requested: whole
// percents of a cpu. No quota (0 or less) stays no quota.
[[nodiscard]] std::int64_t slice_quota(std::int64_t quota_us);

// Corrects what was read of a slice with that requested quota: the requested quota if it was only
// rounded, otherwise as read.
[[nodiscard]] RuntimeResources as_requested(RuntimeResources read, std::int64_t requested_quota_us);

}  // namespace elbowroom::cri
