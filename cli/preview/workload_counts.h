// Pods counted by what creates them: their Deployment, another controller, or the pod itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/input/manifests.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

struct WorkloadCount {
  std::string workload{};  // "Deployment default/web"; "Pod default/one" without a controller
  std::int64_t pods = 0;

  friend bool operator==(const WorkloadCount&, const WorkloadCount&) = default;
};

struct WorkloadCounts {
  std::int64_t pods = 0;                 // in all workloads
  std::size_t workloads = 0;             // in all
  std::vector<WorkloadCount> largest{};  // most pods first, then by name; at most 1,000
};

// A pod that runs or may run, and that can be removed through the API server: not finished,
// terminating, static or a mirror.
[[nodiscard]] bool can_be_removed(const policy::Pod& pod);

// The pods for which `counts` is true.
[[nodiscard]] WorkloadCounts count_workloads(const Manifests& manifests,
                                             const std::function<bool(const policy::Pod&)>& counts);

}  // namespace elbowroom::cli
