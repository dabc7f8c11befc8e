// PodGroup (scheduling.k8s.io v1beta1, v1alpha3, v1alpha2) as a value. A group whose spec cannot be
// understood is a value, too: it says so, and concerns only its own members.
#pragma once

#include <cstddef>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/pod_group.h"

namespace elbowroom::api {

// The limit for status.conditions; a group with more of them is not understood.
inline constexpr std::size_t kMaxGroupConditions = 1'000;

// Invalid: metadata that is wrong, or without a name. Everything else that is wrong or unknown is
// GroupObstacle::NotUnderstood, with the first such field in `trouble`. A preemptionPolicy that is
// not known is Never, as for pods.
[[nodiscard]] Result<policy::PodGroup> decode_pod_group(const Value& object);

// Approximate size in bytes.
[[nodiscard]] std::size_t weight_of(const policy::PodGroup& group);

}  // namespace elbowroom::api
