// Resizes one slice through the local systemd, as the agent does, and prints what its files then
// contain: slice_e2e SLICE CPU_REQUEST_M CPU_LIMIT_M MEMORY_LIMIT_BYTES, where SLICE is the
// cgroup's path and a limit of 0 is none. Exit status 1, with the error, when a step or the reading
// failed.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "cri/pod_cgroup.h"
#include "cri/pod_slice.h"

namespace {

using namespace elbowroom;

int fail(const Error& error) {
  std::cerr << "slice_e2e: " << error.message << "\n";
  return 1;
}

policy::PodBounds bounds_of(char** words) {
  policy::PodBounds bounds{.cpu_request = {std::atoll(words[0])}};
  if (const std::int64_t limit = std::atoll(words[1]); limit != 0) {
    bounds.cpu_limit = policy::MilliCpu{limit};
  }
  if (const std::int64_t limit = std::atoll(words[2]); limit != 0) {
    bounds.memory_limit = policy::Bytes{limit};
  }
  return bounds;
}

Result<policy::PodBounds> set(const cri::CgroupPath& slice, const policy::PodBounds& bounds) {
  using policy::PodSetting;
  ASSIGN_OR_RETURN(const cri::Cgroups cgroups, cri::Cgroups::open("/sys/fs/cgroup"));
  cri::SystemUnits units(cri::real_sd_bus());
  RETURN_IF_ERROR(units.systemd_runs());
  for (const PodSetting setting :
       {PodSetting::MemoryLimit, PodSetting::CpuLimit, PodSetting::CpuRequest}) {
    RETURN_IF_ERROR(cri::set_pod_slice(units, cgroups.version(), slice, {setting, bounds}));
  }
  return cri::read_bounds(cgroups, slice, bounds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: slice_e2e SLICE CPU_REQUEST_M CPU_LIMIT_M MEMORY_LIMIT_BYTES\n";
    return 2;
  }
  const auto slice = cri::CgroupPath::parse(argv[1]);
  if (!slice) return fail(slice.error());
  const auto read = set(*slice, bounds_of(argv + 2));
  if (!read) return fail(read.error());
  std::cout << "request " << read->cpu_request.value << " limit "
            << (read->cpu_limit ? read->cpu_limit->value : 0) << " memory "
            << (read->memory_limit ? read->memory_limit->value : 0) << "\n";
  return 0;
}
