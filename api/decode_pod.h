// A Pod of the API as the value that policy decides on. The one thing to know: unknown fields are
// passed over, but every number, time and quantity is checked, and an error names pod and field.
#pragma once

#include "api/container_fields.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/pod.h"

namespace elbowroom::api {

// Invalid, beside wrong types and amounts: no metadata.name, no metadata.uid on a pod that has a
// node (a pod without one is then named by its key), no containers, a container without a name or
// with a name twice, totals of requests that leave 64 bits. Requests that are left out where there
// is a limit are the limit, as the API server fills them in.
[[nodiscard]] Result<policy::Pod> decode_pod(const Value& object);

// The same with containers and statuses that did not become part of the tree; nullptr: none.
[[nodiscard]] Result<policy::Pod> decode_pod_in_parts(const Value& object,
                                                      const ContainerParts* parts);

}  // namespace elbowroom::api
