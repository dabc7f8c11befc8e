// The two writes that remove a victim: the DisruptionTarget mark, then the delete. Both always
// carry the victim's uid, and the grace period is always the pod's own.
#pragma once

#include <string>

#include "api/codec/object_ref.h"
#include "api/transport/http.h"
#include "base/result.h"
#include "policy/model/condition.h"

namespace elbowroom::api {

// A strategic merge patch of pods/status. Internal: the ref has no namespace, name or uid.
[[nodiscard]] Result<Request> mark_request(const ObjectRef& victim, const policy::Condition& mark);

// A delete with the uid as precondition. `dry_run` checks whether it would be allowed and changes
// nothing. Internal: the ref has no namespace, name or uid.
[[nodiscard]] Result<Request> delete_request(const ObjectRef& victim, bool dry_run);

}  // namespace elbowroom::api
