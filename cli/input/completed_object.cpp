#include "cli/input/completed_object.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/document_text.h"

namespace elbowroom::cli {
namespace {

std::string text_in(const Value* map, std::string_view key) {
  const Value* found = map == nullptr ? nullptr : map->find(key);
  return found == nullptr || found->kind != Value::Kind::String ? std::string() : found->text;
}

std::string name_of(const Value& object, std::string_view kind) {
  const Value* metadata = object.find("metadata");
  std::string name = text_in(metadata, "name");
  if (kind == "Node" || kind == "PriorityClass" || kind == "Namespace") return name;
  const std::string ns = text_in(metadata, "namespace");
  return (ns.empty() ? "default" : ns) + "/" + name;
}

bool is_given(const Value* value) {
  if (value == nullptr || value->kind == Value::Kind::Null) return false;
  return value->kind != Value::Kind::String || !value->text.empty();
}

void put(Value& map, std::string_view key, std::string text) {
  const auto at = std::ranges::find(map.members, key, &Member::key);
  if (at != map.members.end()) {
    at->value = text_value(std::move(text));
  } else {
    map.members.push_back(member(std::string(key), text_value(std::move(text))));
  }
}

}  // namespace

Value completed_object(const Value& object, std::string_view kind) {
  Value whole = object;
  if (!is_given(whole.find("kind"))) put(whole, "kind", std::string(kind));
  const auto metadata = std::ranges::find(whole.members, "metadata", &Member::key);
  if (metadata == whole.members.end() || metadata->value.kind != Value::Kind::Map) return whole;
  if (!is_given(metadata->value.find("uid"))) put(metadata->value, "uid", name_of(object, kind));
  return whole;
}

std::string object_identity(const Value& object) {
  const std::string kind = text_in(&object, "kind");
  return kind + " " + name_of(object, kind);
}

}  // namespace elbowroom::cli
