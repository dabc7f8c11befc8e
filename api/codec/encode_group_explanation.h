// Encodes the explanation of a pod group, and what an explanation of a pod says of its group. Its
// `decision` is the GroupSchedulingDecision that simulate prints, unchanged.
#pragma once

#include "base/document.h"
#include "policy/placement/group_explanation.h"
#include "policy/resize/explanation.h"

namespace elbowroom::api {

// Kind GroupExplanation. Keys are always present; an absent value is "", [], {} or null.
[[nodiscard]] Value encode_group_explanation(const policy::GroupExplanation& about);

// Kind PodExplanation, of a pod of the group that has no node yet: `decision` is a
// SchedulingDecision, what the group's decision means for the pod. `about`: of its group; nullptr:
// the group does not exist, or is not known.
[[nodiscard]] Value encode_pending_member(const policy::Pod& pod,
                                          const policy::GroupExplanation* about, policy::Time now);

// The same of a pod of no group.
[[nodiscard]] Value encode_pending_pod(const policy::Pod& pod,
                                       const policy::SchedulingDecision& decision,
                                       policy::Time now);

}  // namespace elbowroom::api
