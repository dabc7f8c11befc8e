// The outcomes of a pod's resize if a kubelet decides, derived from two versions of the pod. Only
// changes between the two are returned, so nothing is counted twice.
#pragma once

#include <string_view>
#include <vector>

#include "policy/model/pod.h"

namespace elbowroom::agent {

// The labels of elbowroom_resize_outcomes_total: deferred, infeasible, error, completed.
[[nodiscard]] std::vector<std::string_view> kubelet_outcomes(const policy::Pod& before,
                                                             const policy::Pod& after);

}  // namespace elbowroom::agent
