// What became of a pod's resize where a kubelet decides: told from two versions of the pod. Only
// what changed between the two is told, so nothing is counted twice.
#pragma once

#include <string_view>
#include <vector>

#include "policy/model/pod.h"

namespace elbowroom::agent {

// As elbowroom_resize_outcomes_total names them: deferred, infeasible, error, completed.
[[nodiscard]] std::vector<std::string_view> kubelet_outcomes(const policy::Pod& before,
                                                             const policy::Pod& after);

}  // namespace elbowroom::agent
