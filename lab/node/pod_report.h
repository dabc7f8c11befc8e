// What the node tells the API about one pod: phase, Ready, the states of its containers.
// AllocatedResources and resources are set only when a container's status is first written; from
// then on they belong to whoever judges resizes, and are carried along untouched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cri/runtime_view.h"
#include "lab/node/pod_plan.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

// pod.status as it should be, made of the one it has. What the runtime has forgotten keeps its last
// reported state. `now_ns` is for transition times.
[[nodiscard]] Json reported_status(const NodePod& pod, const cri::RuntimePod* runtime,
                                   std::int64_t now_ns);

// Sets one of the conditions that a node writes, in a pod's status; its time is kept where it says
// the same as before.
void set_pod_condition(Json& status, const std::string& type, bool holds, const std::string& reason,
                       std::int64_t generation, std::int64_t now_ns);

// Says with the first status what the pod itself was given, where it asks for resources of its own.
void add_pod_level(const NodePod& pod, Json& status);

// A strategic merge patch of pods/status that makes the pod's status so, guarded by uid and
// resourceVersion; nothing where the status is so already.
[[nodiscard]] std::optional<Json> status_patch(const Json& pod, const Json& status);

}  // namespace elbowroom::lab
