// Explains a pod that has no node yet: where it would be placed, who would go for it; a pod of a
// pod group with its group.
#pragma once

#include "base/document.h"
#include "base/result.h"
#include "cli/explain_group.h"
#include "cli/input/skipped_objects.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

[[nodiscard]] bool is_pending(const policy::Pod& pod);

// Without its events; `cluster` is whole, and has what it lacks. Requires a pending pod.
[[nodiscard]] Result<Value> explain_pending(const DecodedObjects& cluster, const policy::Pod& pod,
                                            const GroupQuery& query);

}  // namespace elbowroom::cli
