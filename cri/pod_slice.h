// A pod's own cgroup where systemd makes the groups: a slice, whose size is set as properties of
// that unit, because systemd writes its own idea of the files again whenever it likes. Systemd
// keeps quotas in whole percents of a cpu, so a pod's is rounded up to the next; what is read back
// is taken for what was asked for where it is just that.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "cri/cgroup.h"
#include "cri/system_units.h"
#include "cri/types.h"
#include "policy/resize/actuate.h"

namespace elbowroom::cri {

// The properties that carry out one step: CPUWeight, MemoryMax, or on version 1 CPUShares and
// MemoryLimit; CPUQuotaPerSecUSec with CPUQuotaPeriodUSec. No limit is infinity.
// Source: opencontainers/runc libcontainer/cgroups/systemd (genV1ResourcesProperties,
// genV2ResourcesProperties, addCpuQuota).
[[nodiscard]] std::vector<UnitProperty> slice_properties(CgroupVersion version,
                                                         const policy::SetPod& step);

// Carries out one step. May be repeated. `slice` is the pod's group; Invalid where it is no slice.
[[nodiscard]] Result<void> set_pod_slice(SystemUnits& units, CgroupVersion version,
                                         const CgroupPath& slice, const policy::SetPod& step);

// The quota, in microseconds of each 100 ms, that a slice has when this one was asked for: whole
// percents of a cpu. None (0 or less) stays none.
[[nodiscard]] std::int64_t slice_quota(std::int64_t quota_us);

// What was read of a slice that was asked to have that quota: the quota as it was asked for where
// it was only rounded, else as read.
[[nodiscard]] RuntimeResources as_asked(RuntimeResources read, std::int64_t asked_quota_us);

}  // namespace elbowroom::cri
