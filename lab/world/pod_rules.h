// What the API server makes of a pod that somebody writes: the values it fills in, the class it
// computes, the changes it refuses. What can run is judged by the same decoder that the daemons
// use, so the lab never stores a pod that they cannot read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "policy/model/pod.h"

namespace elbowroom::lab {

// What a pod's priority is computed from.
struct PriorityOf {
  std::int32_t value = 0;
  std::string class_name{};
  std::string preemption_policy = "PreemptLowerPriority";
};

// Answers for a class name; for "" the cluster's default class. Nothing: no such class.
using PriorityLookup = std::function<std::optional<PriorityOf>(std::string_view class_name)>;

// The value that policy decides on. 422 where the pod is malformed.
[[nodiscard]] Answer<policy::Pod> decode(const Json& pod);

// "Guaranteed", "Burstable", "BestEffort", by the pod's desired resources.
[[nodiscard]] std::string qos_class(const policy::Pod& pod);

// Fills in restartPolicy, grace, scheduler, priority, requests that only have limits, phase and
// QoS class, and checks the result. A priority without a class is kept, where upstream would
// insist on a class: test and demo pods are shorter so.
[[nodiscard]] Answer<Json> admitted_pod(Json pod, const PriorityLookup& priorities);

// Fills in what an update leaves out: the values that a new pod gets too, and the priority that the
// pod has. Source: plugin/pkg/admission/priority.
void default_update(const Json& before, Json& after);

// 422 where an update of the pod itself changes more than images, tolerations, scheduling gates and
// deadlines.
[[nodiscard]] std::optional<ApiError> refuse_update(const Json& before, const Json& after);

}  // namespace elbowroom::lab
