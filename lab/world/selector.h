// Label and field selectors of a list or watch, parsed from a query. The fields of each kind are a
// closed table, and an unknown field is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "policy/model/selector.h"

namespace elbowroom::lab {

// metadata.labels.
[[nodiscard]] policy::Labels labels_of(const Json& object);

struct FieldTerm {
  std::string field{};
  std::string value{};
  bool equal = true;

  friend bool operator==(const FieldTerm&, const FieldTerm&) = default;
};

struct Selector {
  policy::LabelSelector labels{};
  std::vector<FieldTerm> fields{};

  friend bool operator==(const Selector&, const Selector&) = default;
};

// Parses labelSelector "a=b,c!=d,e in (x,y),f,!g" and fieldSelector
// "spec.nodeName=n,status.phase!=P". 400: malformed, or a field that the kind has no selector for.
[[nodiscard]] Answer<Selector> parse_selector(const Kind& kind, std::string_view labels,
                                              std::string_view fields);

// spec.selector of a budget or a similar object; nothing if absent or malformed.
[[nodiscard]] std::optional<policy::LabelSelector> selector_in(const Json& object, Path path);

// Requires a stored object of that kind (events in their core form).
[[nodiscard]] bool selects(const Selector& selector, const Kind& kind, const Json& object);

}  // namespace elbowroom::lab
