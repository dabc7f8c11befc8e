// Binds a pod to a node: pods/binding. It always carries the pod's uid, so a later pod of the same
// name is never bound, and repeating a successful binding is refused as a Conflict.
#pragma once

#include <string>

#include "api/codec/object_ref.h"
#include "api/transport/http.h"
#include "base/result.h"

namespace elbowroom::api {

// Internal: the ref has no namespace, name or uid, or the node is empty.
[[nodiscard]] Result<Request> binding_request(const ObjectRef& pod, const std::string& node);

}  // namespace elbowroom::api
