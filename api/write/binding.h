// The write that places a pod: pods/binding. It is never sent without the pod's uid, so whoever has
// the name by then is not bound, and a repeat of one that was done is refused as a Conflict.
#pragma once

#include <string>

#include "api/codec/object_ref.h"
#include "api/transport/http.h"
#include "base/result.h"

namespace elbowroom::api {

// Internal: the ref has no namespace, name or uid, or there is no node.
[[nodiscard]] Result<Request> binding_request(const ObjectRef& pod, const std::string& node);

}  // namespace elbowroom::api
