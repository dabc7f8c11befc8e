// What an API server refuses of a change by --set, as no resize can have it.
// Source: kubernetes pkg/apis/core/validation, ValidatePodResize, validatePodResourceConsistency.
#pragma once

#include <vector>

#include "base/result.h"
#include "cli/input/resource_change.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

// `after` is `before` with the changes, at least one. Invalid: the Pod is static, mirror or, where
// `is_windows`, of Windows; a container's request is above its limit, its
// limit above the pod's, the requests of all containers together above the pod's, or the QoS class
// is another one. The message says what to set as well.
[[nodiscard]] Result<void> check_with_api_server_rules(const policy::Pod& before,
                                                       const policy::Pod& after, bool is_windows,
                                                       const std::vector<ResourceChange>& changes);

}  // namespace elbowroom::cli
