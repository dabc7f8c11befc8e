// The pod groups of the input: what an API server would have written into them, and what they say
// in the place of their pods.
#pragma once

#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/priority_classes.h"
#include "policy/model/pod.h"
#include "policy/model/pod_group.h"

namespace elbowroom::cli {

// A group from a file may lack a uid: it is then NAMESPACE/NAME.
[[nodiscard]] Result<policy::PodGroup> group_of(const Value& object);

// Sets the priority and the preemption policy that a group leaves out: those of the class that it
// names, else of the global default.
void resolve_priority(policy::PodGroup& group, const PriorityClasses& classes);

// Tells every pod of a group what its group says. Requires groups sorted by namespace and name.
void stamp_groups(std::vector<policy::Pod>& pods, const std::vector<policy::PodGroup>& groups);

}  // namespace elbowroom::cli
