// Objects as the tables that kubectl prints: the server decides the columns, not kubectl. A table
// always has all columns; kubectl hides those of priority 1 without -o wide.
#pragma once

#include <string_view>

#include "lab/apiserver/api_request.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

// What a row contains of its object: the query's includeObject.
enum class RowObject { None, Metadata, Object };

struct TableForm {
  bool wanted = false;  // false: the objects themselves
  RowObject object = RowObject::Metadata;
};

// Parses the Accept header and includeObject. The first clause that can be served counts.
[[nodiscard]] TableForm table_form(const ApiRequest& request);

// A meta.k8s.io/v1 Table of a list ("items") or of one object. Requires stored objects of that
// kind. Without `with_columns` the definitions are left out, as in all events of a watch but the
// first.
[[nodiscard]] Json table_of(const Kind& kind, const Json& objects, RowObject carried,
                            policy::Time now, bool with_columns = true);

}  // namespace elbowroom::lab
