// What has to be written into a pod's status so that it says what the agent knows. Level-triggered:
// it compares what should stand with what the API shows, so a lost write, a restart or a foreign
// hand is put right without anybody remembering anything.
#pragma once

#include <optional>
#include <string_view>

#include "agent/checkpoint.h"
#include "agent/effect.h"
#include "policy/model/pod.h"
#include "policy/resize/resize_conditions.h"

namespace elbowroom::agent {

// The write that is needed, or none. `seen` is the pod as the API shows it, `view` the pod with the
// figures the agent knows, `wanted` the conditions as they should stand, `allocation` what is
// durable (nullptr: unknown yet, figures are left alone). Conditions of other types are never
// touched.
[[nodiscard]] std::optional<WriteStatus> plan_status(const policy::Pod& seen,
                                                     const policy::Pod& view,
                                                     const policy::ResizeConditions& wanted,
                                                     const PodAllocation* allocation);

// Adds to `write` what makes that condition of the pod as wanted (nullopt: away); nothing where it
// is so. A write to PodResizePreemptionDisabled, which has other writers too, says by which version
// of the pod it was decided.
void plan_condition(const policy::Pod& seen, std::string_view type,
                    const std::optional<policy::Condition>& wanted, WriteStatus& write);

}  // namespace elbowroom::agent
