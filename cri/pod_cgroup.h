// A pod's own cgroup: its path, its figures, and how one figure is set. The figures come from what
// the node allocated, never from a status. They are set only as a step of policy::plan_actuation,
// which knows the order.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cri/cgroup.h"
#include "cri/types.h"
#include "policy/model/pod.h"
#include "policy/resize/actuate.h"

namespace elbowroom::cri {

// The cgroup_parent of a sandbox: "/kubepods/burstable/podUID", or with systemd
// "kubepods-burstable-podUID.slice" with the dashes of the uid as underscores. Guaranteed pods have
// no level of their own. Invalid if the uid contains anything but letters, digits, '-', '_' and
// '.'. Source: kubelet cm/pod_container_manager_linux.go, cm/cgroup_manager_linux.go.
[[nodiscard]] Result<std::string> cgroup_parent_of(CgroupDriver driver, policy::Qos qos,
                                                   std::string_view pod_uid);

// The same group as a file system path. With systemd every slice is inside the slice whose name is
// its prefix.
[[nodiscard]] Result<CgroupPath> pod_cgroup_of(CgroupDriver driver, policy::Qos qos,
                                               std::string_view pod_uid);

// The group of a container inside its pod's group: its id, or with systemd "PREFIX-ID.scope", where
// PREFIX depends on the runtime: cri-containerd or crio. `runtime` is RuntimeVersion::name.
[[nodiscard]] Result<CgroupPath> container_cgroup_of(CgroupDriver driver, const CgroupPath& pod,
                                                     std::string_view container_id,
                                                     std::string_view runtime);

// "cgroupfs" or "systemd", as in the configuration.
[[nodiscard]] std::string_view word_of(CgroupDriver driver);

// The driver that creates sandboxes with such parents; for runtimes that cannot report it.
[[nodiscard]] CgroupDriver driver_of(std::string_view cgroup_parent);

// The figures of a pod's cgroup with these bounds. No limit is 0.
[[nodiscard]] RuntimeResources pod_settings(const policy::PodBounds& bounds);

// The present bounds of the pod's cgroup. A figure is taken from `allocated` if its converted value
// is what the cgroup holds; otherwise it is converted back.
[[nodiscard]] Result<policy::PodBounds> read_bounds(const Cgroups& cgroups, const CgroupPath& pod,
                                                    const policy::PodBounds& allocated);

// Carries out one step; a version 2 group's weight is written by `map`. Idempotent.
[[nodiscard]] Result<void> set_pod(const Cgroups& cgroups, const CgroupPath& pod,
                                   const policy::SetPod& step, WeightMap map = WeightMap::Linear);

// Creates a pod's cgroup and sets all its figures. An existing cgroup is set to the same.
[[nodiscard]] Result<void> create_pod_cgroup(const Cgroups& cgroups, const CgroupPath& pod,
                                             const policy::PodBounds& bounds);

}  // namespace elbowroom::cri
