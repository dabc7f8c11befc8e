#include "cri/pod_cgroup.h"

#include <algorithm>

#include "cri/convert.h"

namespace elbowroom::cri {
namespace {

// A uid or an id becomes a folder name.
bool is_name(std::string_view text) {
  if (text.empty() || text.size() > 200 || text.front() == '.') return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

std::string_view level_of(policy::Qos qos) {
  switch (qos) {
    case policy::Qos::Guaranteed:
      return "";
    case policy::Qos::Burstable:
      return "burstable";
    case policy::Qos::BestEffort:
      return "besteffort";
  }
  return "";
}

Result<std::string> checked_uid(std::string_view pod_uid) {
  if (is_name(pod_uid)) return std::string(pod_uid);
  return failure(Code::Invalid,
                 "cgroup of pod: its uid (" + std::to_string(pod_uid.size()) +
                     " bytes) is not made of letters, digits, dashes, underscores and dots");
}

}  // namespace

Result<std::string> cgroup_parent_of(CgroupDriver driver, policy::Qos qos,
                                     std::string_view pod_uid) {
  ASSIGN_OR_RETURN(std::string uid, checked_uid(pod_uid));
  const std::string level(level_of(qos));
  if (driver == CgroupDriver::Cgroupfs) {
    return "/kubepods/" + (level.empty() ? "" : level + "/") + "pod" + uid;
  }
  std::ranges::replace(uid, '-', '_');  // a dash in a slice's name separates levels
  return "kubepods-" + (level.empty() ? "" : level + "-") + "pod" + uid + ".slice";
}

Result<CgroupPath> pod_cgroup_of(CgroupDriver driver, policy::Qos qos, std::string_view pod_uid) {
  ASSIGN_OR_RETURN(const std::string parent, cgroup_parent_of(driver, qos, pod_uid));
  if (driver == CgroupDriver::Cgroupfs) return CgroupPath::parse(parent);
  const std::string level(level_of(qos));
  return CgroupPath::parse("/kubepods.slice/" +
                           (level.empty() ? "" : "kubepods-" + level + ".slice/") + parent);
}

Result<CgroupPath> container_cgroup_of(CgroupDriver driver, const CgroupPath& pod,
                                       std::string_view container_id, std::string_view runtime) {
  if (!is_name(container_id)) {
    return failure(Code::Invalid, "cgroup of container: its id is not made of letters and digits");
  }
  if (driver == CgroupDriver::Cgroupfs) return pod.child(container_id);
  const std::string_view prefix = runtime.starts_with("cri-o") ? "crio" : "cri-containerd";
  return pod.child(std::string(prefix) + "-" + std::string(container_id) + ".scope");
}

std::string_view word_of(CgroupDriver driver) {
  return driver == CgroupDriver::Systemd ? "systemd" : "cgroupfs";
}

CgroupDriver driver_of(std::string_view cgroup_parent) {
  return cgroup_parent.ends_with(".slice") ? CgroupDriver::Systemd : CgroupDriver::Cgroupfs;
}

RuntimeResources pod_settings(const policy::PodBounds& bounds) {
  RuntimeResources settings;
  settings.cpu_shares = shares_for(bounds.cpu_request);
  if (bounds.cpu_limit) {
    settings.cpu_quota_us = quota_for(*bounds.cpu_limit);
    settings.cpu_period_us = kDefaultPeriodUs;
  }
  if (bounds.memory_limit) settings.memory_limit_bytes = bounds.memory_limit->value;
  return settings;
}

Result<policy::PodBounds> read_bounds(const Cgroups& cgroups, const CgroupPath& pod,
                                      const policy::PodBounds& allocated) {
  ASSIGN_OR_RETURN(const RuntimeResources actual, cgroups.read(pod));
  policy::Requirements wanted;
  wanted.requests.cpu = allocated.cpu_request;
  wanted.limits.cpu = allocated.cpu_limit.value_or(policy::MilliCpu{});
  wanted.limits.memory = allocated.memory_limit.value_or(policy::Bytes{});
  const policy::Requirements read = requirements_of(wanted, actual);

  policy::PodBounds bounds;
  bounds.cpu_request = read.requests.cpu;
  if (read.limits.cpu.value != 0) bounds.cpu_limit = read.limits.cpu;
  if (read.limits.memory.value != 0) bounds.memory_limit = read.limits.memory;
  return bounds;
}

Result<void> set_pod(const Cgroups& cgroups, const CgroupPath& pod, const policy::SetPod& step,
                     WeightMap map) {
  const RuntimeResources settings = pod_settings(step.bounds);
  switch (step.setting) {
    case policy::PodSetting::MemoryLimit:
      return cgroups.set_memory_limit(pod, settings.memory_limit_bytes);
    case policy::PodSetting::CpuLimit:
      return cgroups.set_cpu_quota(pod, settings.cpu_quota_us, settings.cpu_period_us);
    case policy::PodSetting::CpuRequest:
      return cgroups.set_cpu_shares(pod, settings.cpu_shares, map);
  }
  return {};
}

Result<void> create_pod_cgroup(const Cgroups& cgroups, const CgroupPath& pod,
                               const policy::PodBounds& bounds) {
  RETURN_IF_ERROR(cgroups.create(pod));
  using policy::PodSetting;
  for (const PodSetting setting :
       {PodSetting::MemoryLimit, PodSetting::CpuLimit, PodSetting::CpuRequest}) {
    RETURN_IF_ERROR(set_pod(cgroups, pod, {setting, bounds}));
  }
  return {};
}

}  // namespace elbowroom::cri
