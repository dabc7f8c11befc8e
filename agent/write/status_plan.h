// The write that makes a pod's status match what the agent knows. Level-triggered: it compares the
// wanted status with the API's, so a lost write, a restart or another writer's change is corrected
// without further state.
#pragma once

#include <optional>
#include <string_view>

#include "agent/checkpoint/checkpoint.h"
#include "agent/effect.h"
#include "policy/model/pod.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::agent {

// Returns the write, or none if none is needed. `seen` is the pod from the API, `view` the pod with
// the agent's figures, `wanted` the wanted conditions, `allocation` what is durable (nullptr:
// unknown yet, figures are not changed). Conditions of other types are never changed. The limits of
// the container `restarting` are those it starts with.
[[nodiscard]] std::optional<WriteStatus> plan_status(const policy::Pod& seen,
                                                     const policy::Pod& view,
                                                     const policy::ResizeConditions& wanted,
                                                     const PodAllocation* allocation,
                                                     std::string_view restarting = "");

// True if the API shows the size that the container starts with as the allocated one: then a pod
// runner that reads the pod after the container was stopped starts it with that size.
[[nodiscard]] bool shows_start(const policy::Pod& seen, std::string_view container,
                               const PodAllocation& allocation);

// Adds to `write` the change that makes the pod's condition as wanted (nullopt: absent); nothing if
// it already is. A write to PodResizePreemptionDisabled, which has other writers too, includes the
// version of the pod that the decision is based on.
void plan_condition(const policy::Pod& seen, std::string_view type,
                    const std::optional<policy::Condition>& wanted, WriteStatus& write);

}  // namespace elbowroom::agent
