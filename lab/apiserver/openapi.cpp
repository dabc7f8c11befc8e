#include "lab/apiserver/openapi.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "lab/schema/schema.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {
namespace {

constexpr std::string_view kRef = "#/components/schemas/io.k8s.api.";

Json plain(const char* type, const char* format = nullptr) {
  Json value = {{"type", type}};
  if (format != nullptr) value["format"] = format;
  return value;
}

// The schema of one value of any shape.
Json value_schema(const FieldSchema& field) {
  switch (field.form) {
    case ValueForm::Text:
      return plain("string");
    case ValueForm::Bytes:
      return plain("string", "byte");
    case ValueForm::Int32:
      return plain("integer", "int32");
    case ValueForm::Int64:
      return plain("integer", "int64");
    case ValueForm::Number:
      return plain("number", "double");
    case ValueForm::Bool:
      return plain("boolean");
    case ValueForm::Time:
    case ValueForm::MicroTime:
      return plain("string", "date-time");
    case ValueForm::Quantity:
      return {{"oneOf", Json::array({plain("string"), plain("number")})}};
    case ValueForm::IntOrText: {
      Json value = {{"oneOf", Json::array({plain("integer"), plain("string")})}};
      value["format"] = "int-or-string";
      return value;
    }
    case ValueForm::Any:
      return plain("object");
    case ValueForm::Object:
      return {{"$ref", std::string(kRef) + std::string(field.object->name)}};
  }
  return Json::object();
}

void say_list_rule(const FieldSchema& field, Json& value) {
  value["x-kubernetes-list-type"] = field.list_rule == ListRule::Atomic ? "atomic"
                                    : field.list_rule == ListRule::Set  ? "set"
                                                                        : "map";
  if (!field.keys.empty()) value["x-kubernetes-list-map-keys"] = field.keys;
}

Json field_schema(const FieldSchema& field) {
  Json value;
  if (field.shape == Shape::List) {
    value = {{"type", "array"}, {"items", value_schema(field)}};
    say_list_rule(field, value);
  } else if (field.shape == Shape::Mapping) {
    value = {{"type", "object"}, {"additionalProperties", value_schema(field)}};
  } else {
    value = value_schema(field);
    // A $ref must stand alone; other keys go around it.
    if (value.contains("$ref")) value = {{"allOf", Json::array({value})}};
  }
  if (field.atomic) value["x-kubernetes-map-type"] = "atomic";
  if (field.patch_merges || field.retain_keys) {
    std::string strategy = field.patch_merges ? "merge" : "";
    if (field.retain_keys) strategy += strategy.empty() ? "retainKeys" : ",retainKeys";
    value["x-kubernetes-patch-strategy"] = strategy;
  }
  if (!field.patch_key.empty()) value["x-kubernetes-patch-merge-key"] = field.patch_key;
  if (!field.default_text.empty()) value["default"] = field.default_text;
  value["description"] = std::string(field.description) + ".";
  return value;
}

Json kind_reference(const Kind& kind) {
  return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.name}};
}

Json object_schema(const ObjectSchema& object) {
  Json schema = {{"type", "object"}, {"description", std::string(object.description) + "."}};
  if (object.atomic) schema["x-kubernetes-map-type"] = "atomic";
  Json required = Json::array();
  for (const auto& [name, field] : object.fields) {
    schema["properties"][std::string(name)] = field_schema(field);
    if (field.required) required.push_back(name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// Collects the schemas that an object consists of, itself included.
void collect(const ObjectSchema& root, std::set<std::string_view>& names) {
  std::vector<const ObjectSchema*> open{&root};
  while (!open.empty()) {
    const ObjectSchema* object = open.back();
    open.pop_back();
    if (!names.insert(object->name).second) continue;
    for (const auto& [name, field] : object->fields) {
      if (field.object != nullptr) open.push_back(field.object);
    }
  }
}

Json query(const char* name) {
  return {{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

Json operation(const Kind& kind, const char* action) {
  Json written = {{"x-kubernetes-action", action},
                  {"x-kubernetes-group-version-kind", kind_reference(kind)},
                  {"parameters", Json::array()},
                  {"responses", {{"200", {{"description", "OK"}}}}}};
  if (std::string_view(action) == "get" || std::string_view(action) == "list") return written;
  for (const char* name : {"dryRun", "fieldManager", "fieldValidation"}) {
    written["parameters"].push_back(query(name));
  }
  return written;
}

void add_paths(const Kind& kind, Json& paths) {
  const std::string base = (kind.group.empty() ? "/api/" : "/apis/") + api_version_of(kind) + "/" +
                           (kind.namespaced ? "namespaces/{namespace}/" : "") +
                           std::string(kind.plural);
  paths[base] = {{"get", operation(kind, "list")}, {"post", operation(kind, "post")}};
  paths[base + "/{name}"] = {{"get", operation(kind, "get")},
                             {"put", operation(kind, "put")},
                             {"patch", operation(kind, "patch")},
                             {"delete", operation(kind, "delete")}};
}

Json document_of(std::string_view group, std::string_view version) {
  Json paths = Json::object();
  std::set<std::string_view> names;
  Json schemas = Json::object();
  for (const Kind& kind : all_kinds()) {
    if (kind.group != group || kind.version != version) continue;
    add_paths(kind, paths);
    collect(schema_of(kind), names);
  }
  const std::size_t prefix = std::string_view("#/components/schemas/").size();
  const std::string full(kRef.substr(prefix));
  for (const std::string_view name : names) {
    schemas[full + std::string(name)] = object_schema(all_schemas().at(name));
  }
  for (const Kind& kind : all_kinds()) {
    if (kind.group != group || kind.version != version) continue;
    schemas[full + std::string(schema_of(kind).name)]["x-kubernetes-group-version-kind"] =
        Json::array({kind_reference(kind)});
  }
  return {{"openapi", "3.0.0"},
          {"info", {{"title", "Kubernetes, as the lab has it"}, {"version", "v1.37.0"}}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", std::move(schemas)}}}};
}

// "api/v1", "apis/GROUP/VERSION".
std::string document_name(const Kind& kind) {
  return (kind.group.empty() ? "api/" : "apis/") + api_version_of(kind);
}

std::map<std::string, std::string, std::less<>> documents() {
  std::map<std::string, std::string, std::less<>> all;
  for (const Kind& kind : all_kinds()) {
    std::string& text = all["/openapi/v3/" + document_name(kind)];
    if (text.empty()) text = to_text(document_of(kind.group, kind.version)) + "\n";
  }
  return all;
}

std::string index_of(GroupVersions groups) {
  Json index = Json::object();
  for (const Kind& kind : all_kinds()) {
    if (!is_served(kind, groups)) continue;
    const std::string name = document_name(kind);
    index[name] = {{"serverRelativeURL", "/openapi/v3/" + name}};
  }
  return to_text({{"paths", std::move(index)}}) + "\n";
}

// True where a kind that the document describes is served.
bool is_described(std::string_view path, GroupVersions groups) {
  return std::ranges::any_of(all_kinds(), [&](const Kind& kind) {
    return is_served(kind, groups) && path == "/openapi/v3/" + document_name(kind);
  });
}

}  // namespace

std::optional<std::string_view> openapi_document(std::string_view path, GroupVersions groups) {
  if (!path.starts_with("/openapi/v3")) return std::nullopt;
  static const auto all = documents();
  static const std::array indexes{index_of(GroupVersions::All), index_of(GroupVersions::Alpha),
                                  index_of(GroupVersions::None)};
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path == "/openapi/v3") return indexes[static_cast<std::size_t>(groups)];
  const auto found = all.find(path);
  if (found == all.end() || !is_described(path, groups)) return std::nullopt;
  return found->second;
}

}  // namespace elbowroom::lab
