// The next thing to do so that a pod's containers get what it was allocated. It is asked again
// after every step with what the runtime reports, so a step that was done is never repeated and a
// crash between two steps changes nothing.
#pragma once

#include <optional>

#include "agent/checkpoint.h"
#include "agent/effect.h"
#include "agent/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::agent {

// None: everything is as allocated, or cannot be told yet. `view` is the pod by view_of().
[[nodiscard]] std::optional<Actuate> next_step(const policy::Pod& view,
                                               const PodAllocation& allocation,
                                               const PodReport& report, bool manage_pod_cgroups);

// True where a running container's size has not been read yet: then it can be told neither right
// nor wrong.
[[nodiscard]] bool is_unread(const PodReport& report);

// True when every running container reports what was allocated to it.
[[nodiscard]] bool is_settled(const policy::Pod& view, const PodAllocation& allocation,
                              const PodReport& report);

}  // namespace elbowroom::agent
