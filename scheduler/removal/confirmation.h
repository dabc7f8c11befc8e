// Confirms with the API server itself that a pod still asks for the room that its victims would
// free. A watch may be stale, most of all right after it was reopened; this answer is not.
#pragma once

#include <optional>
#include <string>

#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "scheduler/removal/set_removal.h"

namespace elbowroom::scheduler {

// Returns "" if the pod, as it is `now`, waits for the same resize on the same node and asks for
// the same room; otherwise what has changed. `seen`: the pod when the set was chosen; nullopt: no
// longer known, which is not reported here.
[[nodiscard]] std::string change_since(const Preemptor& preemptor,
                                       const std::optional<policy::Pod>& seen,
                                       const policy::Pod& now);

// The same for the group of a gang, as it is now.
[[nodiscard]] std::string change_of_group(const Preemptor& preemptor, const policy::PodGroup& now);
// The same for a member of a gang that is to be placed.
[[nodiscard]] std::string change_of_member(const Victim& member,
                                           const std::optional<policy::Pod>& seen,
                                           const policy::Pod& now);

}  // namespace elbowroom::scheduler
