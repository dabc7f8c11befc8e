#include "cri/pod_slice.h"

#include <limits>

#include "cri/convert.h"
#include "cri/pod_cgroup.h"

namespace elbowroom::cri {
namespace {

constexpr std::uint64_t kInfinity = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kPercentUs = kDefaultPeriodUs / 100;
constexpr std::int64_t kPeriodsPerSecond = 1'000'000 / kDefaultPeriodUs;
// More than any machine has, and low enough that the figure per second does not overflow.
constexpr std::int64_t kMostQuotaUs = std::int64_t{1} << 52;

std::uint64_t amount(std::int64_t of) {
  return of > 0 ? static_cast<std::uint64_t>(of) : kInfinity;
}

std::vector<UnitProperty> quota_properties(std::int64_t quota_us) {
  if (quota_us <= 0) return {{"CPUQuotaPerSecUSec", kInfinity}};
  return {{"CPUQuotaPeriodUSec", static_cast<std::uint64_t>(kDefaultPeriodUs)},
          {"CPUQuotaPerSecUSec",
           static_cast<std::uint64_t>(slice_quota(quota_us) * kPeriodsPerSecond)}};
}

}  // namespace

std::int64_t slice_quota(std::int64_t quota_us) {
  if (quota_us <= 0) return quota_us;
  if (quota_us >= kMostQuotaUs) return kMostQuotaUs / kPercentUs * kPercentUs;
  const std::int64_t over = quota_us % kPercentUs;
  return over == 0 ? quota_us : quota_us - over + kPercentUs;
}

std::vector<UnitProperty> slice_properties(CgroupVersion version, const policy::SetPod& step,
                                           WeightMap map) {
  const RuntimeResources settings = pod_settings(step.bounds);
  const bool is_v1 = version == CgroupVersion::V1;
  switch (step.setting) {
    case policy::PodSetting::MemoryLimit:
      return {{is_v1 ? "MemoryLimit" : "MemoryMax", amount(settings.memory_limit_bytes)}};
    case policy::PodSetting::CpuLimit:
      return quota_properties(settings.cpu_quota_us);
    case policy::PodSetting::CpuRequest:
      return {{is_v1 ? "CPUShares" : "CPUWeight",
               static_cast<std::uint64_t>(is_v1 ? settings.cpu_shares
                                                : weight_for(settings.cpu_shares, map))}};
  }
  return {};
}

Result<void> set_pod_slice(SystemUnits& units, CgroupVersion version, const CgroupPath& slice,
                           const policy::SetPod& step, WeightMap map) {
  const std::string unit = slice.parts().empty() ? "" : slice.parts().back();
  if (driver_of(unit) != CgroupDriver::Systemd) {
    return failure(Code::Invalid, "cgroup " + slice.text() +
                                      ": no slice of systemd: set cgroupDriver to the runtime's");
  }
  return units.set_properties(unit, slice_properties(version, step, map));
}

RuntimeResources as_requested(RuntimeResources read, std::int64_t requested_quota_us) {
  if (requested_quota_us > 0 && read.cpu_period_us == kDefaultPeriodUs &&
      read.cpu_quota_us == slice_quota(requested_quota_us)) {
    read.cpu_quota_us = requested_quota_us;
  }
  return read;
}

}  // namespace elbowroom::cri
