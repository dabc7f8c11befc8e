// What the node reports to the API about one pod: phase, Ready, the states of its containers.
// AllocatedResources and resources are set only when a container's status is first written; after
// that they belong to the program that decides resizes, and are copied unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cri/runtime_view.h"
#include "lab/node/pod_plan.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

// The desired pod.status, based on its present status. Containers that the runtime has forgotten
// keep their last reported state. `now_ns` is for transition times.
[[nodiscard]] Json reported_status(const NodePod& pod, const cri::RuntimePod* runtime,
                                   std::int64_t now_ns, const PodOrders& orders = {});

// Sets one of the node's conditions in a pod's status. Its transition time is unchanged if the
// condition is.
void set_pod_condition(Json& status, const std::string& type, bool holds, const std::string& reason,
                       std::int64_t generation, std::int64_t now_ns);

// Sets the pod-level allocation in the first status, if the pod has pod-level resources.
void add_pod_level(const NodePod& pod, Json& status);

// A strategic merge patch of pods/status that brings the pod to this status, guarded by uid and
// resourceVersion; nothing if it has this status already.
[[nodiscard]] std::optional<Json> status_patch(const Json& pod, const Json& status);

}  // namespace elbowroom::lab
