// A Pod as a cluster serves it, where it may be anybody's. The one thing to know: a limit holds no
// room, so one that is too large for 64 bits counts as the largest amount, and does not make the
// pod, and with it the whole node, unclear; requests, and what was promised or is given, stay
// strict.
#pragma once

#include <optional>

#include "api/container_fields.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/pod.h"

namespace elbowroom::api {

// The pod with every limit above 2^63-1 of its unit written as the largest amount; nothing where
// there is none. Limits that a container's requests are filled in from are left as they are.
[[nodiscard]] std::optional<Value> with_largest_limits(const Value& object);

// As decode_pod, of the pod with its largest limits.
[[nodiscard]] Result<policy::Pod> decode_cluster_pod(const Value& object);
[[nodiscard]] Result<policy::Pod> decode_cluster_pod_in_parts(const Value& object,
                                                              const ContainerParts* parts);

}  // namespace elbowroom::api
