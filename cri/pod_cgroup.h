// A pod's own cgroup: where it is, what it holds, and how one figure of it is set. Its figures come
// from what the node allocated, never from a status, and a figure of it is only set as a step of
// policy::plan_actuation, which knows the order.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cri/cgroup.h"
#include "cri/types.h"
#include "policy/model/pod.h"
#include "policy/resize/actuate.h"

namespace elbowroom::cri {

// What a sandbox's cgroup_parent has to be: "/kubepods/burstable/podUID", or with systemd
// "kubepods-burstable-podUID.slice" with the dashes of the uid as underscores. Guaranteed pods have
// no level of their own. Invalid where the uid is not made of letters, digits, '-', '_' and '.'.
// Source: kubelet cm/pod_container_manager_linux.go, cm/cgroup_manager_linux.go.
[[nodiscard]] Result<std::string> cgroup_parent_of(CgroupDriver driver, policy::Qos qos,
                                                   std::string_view pod_uid);

// The same group as it lies in the file system: with systemd every slice is in the one its name
// begins with.
[[nodiscard]] Result<CgroupPath> pod_cgroup_of(CgroupDriver driver, policy::Qos qos,
                                               std::string_view pod_uid);

// The group of a container in its pod's: its id, or with systemd "PREFIX-ID.scope", where the
// prefix is the runtime's: cri-containerd or crio. `runtime` is RuntimeVersion::name.
[[nodiscard]] Result<CgroupPath> container_cgroup_of(CgroupDriver driver, const CgroupPath& pod,
                                                     std::string_view container_id,
                                                     std::string_view runtime);

// "cgroupfs" or "systemd", as the configuration has it.
[[nodiscard]] std::string_view word_of(CgroupDriver driver);

// The driver that made the sandboxes whose parents look like that; for runtimes that cannot tell.
[[nodiscard]] CgroupDriver driver_of(std::string_view cgroup_parent);

// What a pod's cgroup with these bounds holds. No limit is 0.
[[nodiscard]] RuntimeResources pod_settings(const policy::PodBounds& bounds);

// The bounds that the pod's cgroup has now; each figure as in `allocated` where it is what the
// cgroup holds after conversion, else converted back.
[[nodiscard]] Result<policy::PodBounds> read_bounds(const Cgroups& cgroups, const CgroupPath& pod,
                                                    const policy::PodBounds& allocated);

// Carries out one step. May be repeated.
[[nodiscard]] Result<void> set_pod(const Cgroups& cgroups, const CgroupPath& pod,
                                   const policy::SetPod& step);

// Makes a pod's cgroup and sets all of it; one that exists is brought to the same.
[[nodiscard]] Result<void> create_pod_cgroup(const Cgroups& cgroups, const CgroupPath& pod,
                                             const policy::PodBounds& bounds);

}  // namespace elbowroom::cri
