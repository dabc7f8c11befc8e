// The three patch types of the Kubernetes API, applied to JSON trees. A strategic merge patch
// merges the lists that the schema gives a merge key, and replaces all other lists.
#pragma once

#include <string_view>

#include "lab/apiserver/api_error.h"
#include "lab/schema/schema.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

enum class PatchType { Merge, StrategicMerge, JsonPatch };

// The object with the patch applied. Errors: 415 when the kind has no strategic merge, 422 when a
// JSON patch does not apply (including a failed test), 400 when the patch is malformed.
[[nodiscard]] Answer<Json> apply_patch(const Kind& kind, PatchType type, Json object,
                                       const Json& patch);

// RFC 7386.
[[nodiscard]] Json merge_patched(Json object, const Json& patch);

// Lists merge as the object's schema defines (nullptr: none merges). Directives: $patch (replace,
// delete, merge), $setElementOrder/LIST, $deleteFromPrimitiveList/LIST, $retainKeys. New elements
// come first, as upstream puts them. Source: apimachinery strategicpatch.
[[nodiscard]] Json strategically_merged(const ObjectSchema* schema, Json object, const Json& patch);

}  // namespace elbowroom::lab
