// The API server's rules for a pod that a client writes: defaults, the QoS class, refused changes.
// The daemons' own decoder validates the pod, so the lab never stores a pod that they cannot read.
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

// The inputs of a pod's priority.
struct PriorityOf {
  std::int32_t value = 0;
  std::string class_name{};
  std::string preemption_policy = "PreemptLowerPriority";
};

// Looks up a class name; "" returns the cluster's default class. Nothing: no such class.
using PriorityLookup = std::function<std::optional<PriorityOf>(std::string_view class_name)>;

// The value that policy decides on. 422 when the pod is malformed.
[[nodiscard]] Answer<policy::Pod> decode(const Json& pod);

// "Guaranteed", "Burstable" or "BestEffort", from the pod's desired resources.
[[nodiscard]] std::string qos_class(const policy::Pod& pod);

// Fills in restartPolicy, grace period, scheduler, priority, requests that have only limits, phase
// and QoS class, and validates the result. A priority without a class is kept, where upstream
// requires a class: this keeps test and demo pods short.
[[nodiscard]] Answer<Json> admitted_pod(Json pod, const PriorityLookup& priorities);

// Fills in what the API server fills into the spec of any pod, and into that of a template.
void default_pod_spec(Json& spec);

// Drops empty maps of amounts, as a server that stores protobuf does: they read back as missing.
void drop_empty_amounts(Json& pod);

// Fills in what an update leaves out: a new pod's defaults, and the pod's present priority. Source:
// plugin/pkg/admission/priority.
void default_update(const Json& before, Json& after);

// 422 where an update of the pod itself changes more than images, tolerations, scheduling gates and
// deadlines.
[[nodiscard]] std::optional<ApiError> refuse_update(const Json& before, const Json& after);

}  // namespace elbowroom::lab
