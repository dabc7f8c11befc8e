// All that an agent in companion mode ever writes to a pod: PodResizePreemptionDisabled, as the
// Node's policy has it. Everything else in the pod belongs to its kubelet, and a condition that is
// True for another writer's reason stays as it is.
#pragma once

#include <optional>

#include "agent/effect.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

// The write that is needed so that the condition stands while the pod is Deferred (as the kubelet
// says), neither terminating nor finished, and the policy has an owner, and not otherwise; or none.
[[nodiscard]] std::optional<WriteStatus> plan_policy_write(const policy::Pod& seen,
                                                           const policy::Node& node,
                                                           policy::Time now);

}  // namespace elbowroom::agent
