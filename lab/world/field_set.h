// Sets of fields of an object, in the form of metadata.managedFields: which manager owns which
// field. They are trees with upstream's names for the steps (f:NAME, k:{KEYS}, v:VALUE); an atomic
// list or mapping is one leaf.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/schema/schema.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

struct FieldSet {
  bool member = false;
  std::map<std::string, FieldSet> parts{};

  [[nodiscard]] bool is_empty() const { return !member && parts.empty(); }
  // nullptr if nothing at or below that step is in the set.
  [[nodiscard]] const FieldSet* part(const std::string& step) const;

  friend bool operator==(const FieldSet&, const FieldSet&) = default;
};

// All fields that the object sets. `with_containers`: a mapping is a member itself besides its
// entries, as in sets of updates.
[[nodiscard]] FieldSet fields_of(const ObjectSchema& schema, const Json& object,
                                 bool with_containers);

struct Comparison {
  FieldSet changed{};  // added, or with another value
  FieldSet removed{};
};
[[nodiscard]] Comparison compared(const ObjectSchema& schema, const Json& before,
                                  const Json& after);

[[nodiscard]] FieldSet united(FieldSet a, const FieldSet& b);
[[nodiscard]] FieldSet without(const FieldSet& a, const FieldSet& b);
[[nodiscard]] FieldSet common(const FieldSet& a, const FieldSet& b);

// Its members in upstream's path syntax: .spec.containers[name="app"].image
[[nodiscard]] std::vector<std::string> paths_of(const FieldSet& set);

[[nodiscard]] Json fields_v1(const FieldSet& set);
[[nodiscard]] FieldSet field_set_of(const Json& fields_v1);

// The step that identifies an element of a list that has keys or is a set.
[[nodiscard]] std::string step_of(const FieldSchema& list, const Json& element);

}  // namespace elbowroom::lab
