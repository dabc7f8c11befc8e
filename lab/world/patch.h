// The three patch types of the Kubernetes API, applied to JSON trees. A strategic merge patch knows
// which lists merge by which key, and a list it does not know is replaced whole.
#pragma once

#include <string_view>

#include "lab/apiserver/api_error.h"
#include "lab/schema/schema.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

enum class PatchType { Merge, StrategicMerge, JsonPatch };

// The object with the patch applied. Errors: 415 where the kind has no strategic merge, 422 where a
// JSON patch does not apply (a failed test too), 400 where the patch is malformed.
[[nodiscard]] Answer<Json> apply_patch(const Kind& kind, PatchType type, Json object,
                                       const Json& patch);

// RFC 7386.
[[nodiscard]] Json merge_patched(Json object, const Json& patch);

// Lists merge as the schema of the object says (nullptr: none does); directives $patch (replace,
// delete, merge), $setElementOrder/LIST, $deleteFromPrimitiveList/LIST, $retainKeys. Elements that
// are new come first, as upstream puts them. Source: apimachinery strategicpatch.
[[nodiscard]] Json strategically_merged(const ObjectSchema* schema, Json object, const Json& patch);

}  // namespace elbowroom::lab
