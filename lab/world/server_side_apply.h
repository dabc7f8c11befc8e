// Server-side apply: what becomes of an object when somebody applies a configuration to it. It
// changes no field that another owner holds at another value, unless forced, and takes away what
// the same manager applied before and no longer says.
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

// `live` is an empty object where there is none yet. 500 where the configuration has a field that
// the kind does not, or a list with the same key twice (upstream's code); 409 with a cause for each
// field that another manager holds. Source: structured-merge-diff merge/update.go.
[[nodiscard]] Answer<AppliedObject> applied(const Kind& kind, const Json& live, const Json& config,
                                            const ApplyRequest& request);

}  // namespace elbowroom::lab
