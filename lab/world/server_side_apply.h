// Server-side apply: computes an object after a manager applies a configuration. It never changes a
// field that another manager owns at another value, unless forced, and removes what the same
// manager applied before and no longer sets.
#pragma once

#include <string>
#include <vector>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "lab/world/managed_fields.h"

namespace elbowroom::lab {

struct ApplyRequest {
  FieldWriter writer{};
  bool force = false;
  std::string time{};  // now
};

struct AppliedObject {
  Json object{};
  std::vector<ManagedFields> managers{};
};

// `live` is an empty object if there is none yet. 500 when the configuration has an unknown field,
// or a list with a duplicate key (upstream's code); 409 with a cause for each field that another
// manager owns. Source: structured-merge-diff merge/update.go.
[[nodiscard]] Answer<AppliedObject> applied(const Kind& kind, const Json& live, const Json& config,
                                            const ApplyRequest& request);

}  // namespace elbowroom::lab
