// The only write of an agent in companion mode to a pod: PodResizePreemptionDisabled, as the Node's
// policy has it. Everything else in the pod belongs to its kubelet. A condition that is True with
// another writer's reason is not changed.
#pragma once

#include <optional>

#include "agent/effect.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

// Returns the write, or none if none is needed. The condition must be present while the pod is
// Deferred (as the kubelet says), neither terminating nor finished, and the policy has an owner;
// otherwise it must be absent.
[[nodiscard]] std::optional<WriteStatus> plan_policy_write(const policy::Pod& seen,
                                                           const policy::Node& node,
                                                           policy::Time now);

}  // namespace elbowroom::agent
