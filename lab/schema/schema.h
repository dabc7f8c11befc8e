// The schema of the API's objects: fields, their types, how lists merge, which fields are required.
// Strict decoding, strategic merge patches, server-side apply and the OpenAPI documents all use
// this one table.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "lab/world/kind.h"

namespace elbowroom::lab {

struct ObjectSchema;

enum class ValueForm {
  Text,
  Bytes,  // base64
  Int32,
  Int64,
  Number,
  Bool,
  Quantity,   // text or number
  IntOrText,  // a number or a percentage
  Time,
  MicroTime,
  Any,
  Object
};

enum class Shape { One, List, Mapping };

// How several writers share a list.
enum class ListRule { Atomic, Set, Keyed };

struct FieldSchema {
  std::string_view name{};
  std::string_view description{};
  Shape shape = Shape::One;
  ValueForm form = ValueForm::Any;       // of the value, or of each element
  const ObjectSchema* object = nullptr;  // when the form is Object
  bool required = false;
  bool atomic = false;  // a mapping or object that has one owner
  ListRule list_rule = ListRule::Atomic;
  std::vector<std::string_view> keys{};  // for a Keyed list
  bool patch_merges = false;             // strategic merge patches merge the list
  std::string_view patch_key{};          // by this; "" for a list of plain values
  bool retain_keys = false;
  std::string_view default_text{};
};

struct ObjectSchema {
  std::string_view name{};  // "core.v1.Pod"
  std::string_view description{};
  bool atomic = false;
  std::map<std::string_view, FieldSchema> fields{};

  // Nothing if there is no such field.
  [[nodiscard]] const FieldSchema* field(std::string_view wanted) const;
};

// Every kind has one.
[[nodiscard]] const ObjectSchema& schema_of(const Kind& kind);

// All schemas, by name.
[[nodiscard]] const std::map<std::string_view, ObjectSchema>& all_schemas();

// True for an object or mapping whose parts have separate owners.
[[nodiscard]] bool is_granular(const FieldSchema& field);

}  // namespace elbowroom::lab
