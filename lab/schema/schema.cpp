#include "lab/schema/schema.h"

#include <array>
#include <cassert>
#include <string>
#include <utility>

#include "lab/schema/schema_table.h"

namespace elbowroom::lab {
namespace {

using Schemas = std::map<std::string_view, ObjectSchema>;

// Takes the text before the separator off the front.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + separator.size());
  return part;
}

std::vector<std::string_view> list_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(take(text, ","));
  return parts;
}

ValueForm form_of(std::string_view word) {
  using Named = std::pair<std::string_view, ValueForm>;
  constexpr std::array kForms{Named{"string", ValueForm::Text},
                              Named{"bytes", ValueForm::Bytes},
                              Named{"int32", ValueForm::Int32},
                              Named{"int64", ValueForm::Int64},
                              Named{"number", ValueForm::Number},
                              Named{"bool", ValueForm::Bool},
                              Named{"Quantity", ValueForm::Quantity},
                              Named{"IntOrString", ValueForm::IntOrText},
                              Named{"Time", ValueForm::Time},
                              Named{"MicroTime", ValueForm::MicroTime},
                              Named{"any", ValueForm::Any}};
  for (const auto& [name, form] : kForms) {
    if (name == word) return form;
  }
  return ValueForm::Object;
}

// A field, and the name of its type if that is an object.
std::pair<FieldSchema, std::string_view> field_of(std::string_view line) {
  FieldSchema field;
  std::string_view words = take(line, " | ");
  field.description = line;
  field.name = take(words, " ");
  std::string_view type = take(words, " ");
  if (type.ends_with('!')) {
    field.required = true;
    type.remove_suffix(1);
  }
  if (type.starts_with('[')) field.shape = Shape::List;
  if (type.starts_with('{')) field.shape = Shape::Mapping;
  if (field.shape != Shape::One) type = type.substr(1, type.size() - 2);
  field.form = form_of(type);
  while (!words.empty()) {
    std::string_view word = take(words, " ");
    const std::string_view key = take(word, "=");
    if (key == "atomic") field.atomic = true;
    if (key == "set") field.list_rule = ListRule::Set;
    if (key == "retain") field.retain_keys = true;
    if (key == "default") field.default_text = word;
    if (key == "merge") {
      field.patch_merges = true;
      field.patch_key = word;
    }
    if (key == "map") {
      field.list_rule = ListRule::Keyed;
      field.keys = list_of(word);
    }
  }
  return {std::move(field), type};
}

Schemas read_all() {
  Schemas schemas;
  struct Reference {
    FieldSchema* field;
    std::string_view type;
  };
  std::vector<Reference> references;
  for (std::string_view text :
       {kMetaSchema, kVolumesSchema, kContainersSchema, kPodSchema, kNodeSchema, kOthersSchema,
        kGroupsSchema, kAppsSchema, kStorageSchema, kOwnSchema}) {
    ObjectSchema* object = nullptr;
    while (!text.empty()) {
      std::string_view line = take(text, "\n");
      if (line.empty()) continue;
      if (!line.starts_with(' ')) {
        std::string_view words = take(line, " | ");
        const std::string_view name = take(words, " ");
        object = &schemas[name];
        object->name = name;
        object->description = line;
        object->atomic = words == "atomic";
        continue;
      }
      auto [field, type] = field_of(line.substr(1));
      const bool is_object = field.form == ValueForm::Object;
      FieldSchema& place = object->fields[field.name];
      place = std::move(field);
      if (is_object) references.push_back({&place, type});
    }
  }
  for (const Reference& reference : references) {
    const auto found = schemas.find(reference.type);
    assert(found != schemas.end());  // the table is ours, and a test reads all of it
    reference.field->object = &found->second;
  }
  return schemas;
}

}  // namespace

const FieldSchema* ObjectSchema::field(std::string_view wanted) const {
  const auto found = fields.find(wanted);
  return found == fields.end() ? nullptr : &found->second;
}

const std::map<std::string_view, ObjectSchema>& all_schemas() {
  static const Schemas schemas = read_all();
  return schemas;
}

const ObjectSchema& schema_of(const Kind& kind) {
  const std::string_view group = kind.group.substr(0, kind.group.find('.'));
  const std::string name = (group.empty() ? "core" : std::string(group)) + "." +
                           std::string(kind.version) + "." + std::string(kind.name);
  const auto found = all_schemas().find(name);
  assert(found != all_schemas().end());
  return found->second;
}

bool is_granular(const FieldSchema& field) {
  if (field.atomic || field.shape == Shape::List) return false;
  if (field.shape == Shape::Mapping) return true;
  return field.form == ValueForm::Object && !field.object->atomic;
}

}  // namespace elbowroom::lab
