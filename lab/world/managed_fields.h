// metadata.managedFields: which fields each writer of an object owns. A writer that changes a field
// owns it; a writer that applies a field owns it even if the value was already set.
#pragma once

#include <string>
#include <vector>

#include "lab/world/field_set.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {

struct FieldWriter {
  std::string manager{};
  bool applies = false;       // server-side apply; else any other write
  std::string subresource{};  // "status", "resize", ""

  friend bool operator==(const FieldWriter&, const FieldWriter&) = default;
};

struct ManagedFields {
  FieldWriter writer{};
  std::string api_version{};
  std::string time{};  // RFC 3339
  FieldSet fields{};
};

[[nodiscard]] std::vector<ManagedFields> managed_fields_of(const Json& object);
[[nodiscard]] Json to_json(const std::vector<ManagedFields>& managers);

// The part of an object that has owners: without its identity, and without the part that this
// subresource does not write.
[[nodiscard]] Json owned_part(const Kind& kind, const std::string& subresource, Json object);

// The managers after this writer has changed `before` into `after` (an empty `before`: the object
// is new).
[[nodiscard]] std::vector<ManagedFields> managers_after_update(
    const Kind& kind, std::vector<ManagedFields> managers, const FieldWriter& writer,
    const Json& before, const Json& after, const std::string& time);

}  // namespace elbowroom::lab
