#include "lab/world/object_validation.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "api/codec/decode_node.h"
#include "lab/world/label_key.h"

namespace elbowroom::lab {
namespace {

// A DNS subdomain: lower case letters, digits, '-' and '.'; it begins and ends with a letter or
// digit. Source: apimachinery validation.IsDNS1123Subdomain.
bool is_name(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  const auto is_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return is_end(name.front()) && is_end(name.back()) &&
         std::ranges::all_of(name, [&](char c) { return is_end(c) || c == '-' || c == '.'; });
}

bool is_map_of_text(const Json& map) {
  return map.is_object() &&
         std::ranges::all_of(map, [](const Json& value) { return value.is_string(); });
}

void check_conditions(const Json& object, std::vector<FieldProblem>& problems) {
  const Json* conditions = find_at(object, {"status", "conditions"});
  if (conditions == nullptr || conditions->is_null()) return;
  for (std::size_t i = 0; i < conditions->size(); ++i) {
    const std::string field = "status.conditions[" + std::to_string(i) + "]";
    const Json& condition = conditions->is_array() ? (*conditions)[i] : *conditions;
    if (!condition.is_object() || !api::is_label_key(text_at(condition, {"type"}))) {
      problems.push_back({"FieldValueInvalid", field + ".Type",
                          "Invalid value: " + to_text(condition) + ": name part must be valid"});
      if (!conditions->is_array()) return;
    }
    if (integer_at(condition, {"observedGeneration"}).value_or(0) < 0) {
      problems.push_back({"FieldValueInvalid", field + ".observedGeneration",
                          "Invalid value: must be greater than or equal to 0"});
    }
  }
}

}  // namespace

std::optional<ApiError> validate_object(const Kind& kind, Json& object) {
  if (!object.is_object()) return bad_request("the object is no mapping");
  const std::string named = text_at(object, {"kind"});
  if (!named.empty() && named != kind.name) {
    return bad_request("the object provided is of kind " + named + ", not " +
                       std::string(kind.name));
  }
  for (const char* part : {"metadata", "spec", "status"}) {
    const auto it = object.find(part);
    if (it == object.end()) continue;
    if (it->is_null())
      object.erase(it);
    else if (!it->is_object())
      return bad_request(std::string(part) + " is no mapping");
  }
  object["apiVersion"] = api_version_of(kind);
  object["kind"] = kind.name;
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();

  std::vector<FieldProblem> problems;
  const std::string name = text_at(metadata, {"name"});
  if (name.empty()) {
    problems.push_back({"FieldValueRequired", "metadata.name",
                        "Required value: name or generateName is required"});
  } else if (!is_name(name)) {
    problems.push_back({"FieldValueInvalid", "metadata.name",
                        "Invalid value: " + to_text(Json(name)) +
                            ": a lowercase RFC 1123 subdomain must consist of lower case "
                            "alphanumeric characters, '-' or '.'"});
  }
  for (const char* map : {"labels", "annotations"}) {
    const auto it = metadata.find(map);
    if (it == metadata.end()) continue;
    if (it->is_null())
      metadata.erase(it);
    else if (!is_map_of_text(*it)) {
      problems.push_back({"FieldValueInvalid", std::string("metadata.") + map,
                          "Invalid value: must be a mapping of text to text"});
    }
  }
  check_conditions(object, problems);
  if (problems.empty()) return std::nullopt;
  return invalid(kind, name, problems);
}

std::optional<ApiError> refuse_preemption_policy(const Kind& kind, Json& node) {
  // An empty list is removed; the empty policy around it stays.
  if (Json* spec = node.contains("spec") ? &node["spec"] : nullptr; spec != nullptr) {
    if (const auto policy = spec->find("podPreemptionPolicy"); policy != spec->end()) {
      if (policy->is_null())
        spec->erase(policy);
      else if (policy->is_object() && !present_at(*policy, {"disableResizePreemption"}))
        policy->erase("disableResizePreemption");
    }
  }
  const Json* policy = find_at(node, {"spec", "podPreemptionPolicy"});
  if (policy == nullptr || policy->is_null()) return std::nullopt;
  const Json* owners = find_at(*policy, {"disableResizePreemption"});
  if (owners == nullptr || owners->is_null()) return std::nullopt;
  const std::string field = "spec.podPreemptionPolicy.disableResizePreemption";
  std::vector<FieldProblem> problems;
  if (!owners->is_array()) {
    return bad_request(field + " is no list");
  }
  if (owners->size() > 20) {
    problems.push_back(
        {"FieldValueTooMany", field,
         "Too many: " + std::to_string(owners->size()) + ": must have at most 20 items"});
  }
  std::set<Json> seen;
  for (std::size_t i = 0; i < owners->size(); ++i) {
    const Json& owner = (*owners)[i];
    const std::string at = field + "[" + std::to_string(i) + "]";
    if (!owner.is_string()) return bad_request(at + " is no text");
    const auto wrong = label_key_problems(owner.get_ref<const std::string&>());
    for (const std::string& problem : wrong) {
      problems.push_back(
          {"FieldValueInvalid", at, "Invalid value: " + to_text(owner) + ": " + problem});
    }
    if (!seen.insert(owner).second) {
      problems.push_back({"FieldValueDuplicate", at, "Duplicate value: " + to_text(owner)});
    }
  }
  if (problems.empty()) return std::nullopt;
  return invalid(kind, text_at(node, {"metadata", "name"}), problems);
}

}  // namespace elbowroom::lab
