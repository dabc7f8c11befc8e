// What a daemon without an API server between writes to pods of a world: each is what its API
// client would send, as one change.
#pragma once

#include <string>

#include "api/codec/object_ref.h"
#include "api/write/pod_status.h"
#include "base/result.h"
#include "lab/world/kind.h"
#include "lab/world/world.h"
#include "policy/model/condition.h"

namespace elbowroom::lab {

[[nodiscard]] const Kind& pods_kind();
[[nodiscard]] const Kind& nodes_kind();

// Applies a strategic merge patch to the pod's status.
[[nodiscard]] Result<void> patch_status(World& world, const api::ObjectRef& pod,
                                        const std::string& patch);

// Patches the conditions and the nominated node of the pod with that uid.
[[nodiscard]] Result<void> write_conditions(World& world, const api::ObjectRef& pod,
                                            const api::PodStatusChange& change);

// Sets the mark of a victim; `clear` removes it.
[[nodiscard]] Result<void> mark_victim(World& world, const api::ObjectRef& victim, bool clear,
                                       const policy::Condition& mark);

// Deletes the pod with that uid, with its own grace period; a dry run changes nothing.
[[nodiscard]] Result<void> delete_victim(World& world, const api::ObjectRef& victim, bool dry_run);

}  // namespace elbowroom::lab
