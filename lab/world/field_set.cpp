#include "lab/world/field_set.h"

#include <utility>

namespace elbowroom::lab {
namespace {

std::string named(const std::string& name) { return "f:" + name; }

bool merges(const FieldSchema& field) {
  return field.shape == Shape::List && field.list_rule != ListRule::Atomic;
}

// True when the parts of this field's value have owners of their own.
bool has_parts(const FieldSchema* field, const Json& value) {
  if (field == nullptr) return false;
  if (merges(*field)) return value.is_array() && !value.empty();
  return is_granular(*field) && value.is_object() && !value.empty();
}

void add_value(const FieldSchema* field, const Json& value, bool with_containers, FieldSet& set);

void add_object(const ObjectSchema& schema, const Json& object, bool with_containers,
                FieldSet& set) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    add_value(schema.field(name), value, with_containers, set.parts[named(name)]);
  }
}

// parse_object() bounds the depth of the input, here and below.
void add_value(const FieldSchema* field, const Json& value, bool with_containers, FieldSet& set) {
  if (!has_parts(field, value)) {
    set.member = true;
    return;
  }
  if (field->shape == Shape::Mapping) {
    if (with_containers) set.member = true;
    for (const auto& [key, inner] : value.items()) {
      FieldSchema one = *field;
      one.shape = Shape::One;
      add_value(&one, inner, with_containers, set.parts[named(key)]);
    }
  } else if (field->shape == Shape::One) {
    add_object(*field->object, value, with_containers, set);
  } else {
    if (with_containers) set.member = true;
    for (const Json& element : value) {
      FieldSet& place = set.parts[step_of(*field, element)];
      place.member = true;
      if (field->list_rule == ListRule::Keyed && element.is_object()) {
        add_object(*field->object, element, with_containers, place);
      }
    }
  }
}

void compare_value(const FieldSchema* field, const Json& before, const Json& after,
                   Comparison& result);

void compare_parts(const FieldSchema* field, const std::string& step, const Json* before,
                   const Json* after, Comparison& result) {
  Comparison inner;
  if (before == nullptr || before->is_null()) {
    if (after != nullptr && !after->is_null()) add_value(field, *after, true, inner.changed);
  } else if (after == nullptr || after->is_null()) {
    add_value(field, *before, true, inner.removed);
  } else {
    compare_value(field, *before, *after, inner);
  }
  if (!inner.changed.is_empty()) result.changed.parts[step] = std::move(inner.changed);
  if (!inner.removed.is_empty()) result.removed.parts[step] = std::move(inner.removed);
}

void compare_objects(const ObjectSchema& schema, const Json& before, const Json& after,
                     Comparison& result) {
  for (const auto& [name, value] : after.items()) {
    compare_parts(schema.field(name), named(name), find_at(before, {name}), &value, result);
  }
  for (const auto& [name, value] : before.items()) {
    if (after.contains(name)) continue;
    compare_parts(schema.field(name), named(name), &value, nullptr, result);
  }
}

std::map<std::string, const Json*> by_step(const FieldSchema& list, const Json& elements) {
  std::map<std::string, const Json*> found;
  for (const Json& element : elements) found.emplace(step_of(list, element), &element);
  return found;
}

void compare_lists(const FieldSchema& list, const Json& before, const Json& after,
                   Comparison& result) {
  const auto was = by_step(list, before);
  const auto is = by_step(list, after);
  const auto added = [&](const Json& element, FieldSet& set) {
    set.member = true;
    if (list.list_rule == ListRule::Keyed && element.is_object()) {
      add_object(*list.object, element, true, set);
    }
  };
  for (const auto& [step, element] : is) {
    const auto there = was.find(step);
    if (there == was.end()) {
      added(*element, result.changed.parts[step]);
    } else if (list.list_rule == ListRule::Keyed && element->is_object()) {
      Comparison inner;
      compare_objects(*list.object, *there->second, *element, inner);
      if (!inner.changed.is_empty()) result.changed.parts[step] = std::move(inner.changed);
      if (!inner.removed.is_empty()) result.removed.parts[step] = std::move(inner.removed);
    }
  }
  for (const auto& [step, element] : was) {
    if (!is.contains(step)) added(*element, result.removed.parts[step]);
  }
}

void compare_value(const FieldSchema* field, const Json& before, const Json& after,
                   Comparison& result) {
  if (before == after) return;
  if (!has_parts(field, before) || !has_parts(field, after)) {
    if (has_parts(field, before)) add_value(field, before, true, result.removed);
    add_value(field, after, true, result.changed);
  } else if (field->shape == Shape::Mapping) {
    FieldSchema one = *field;
    one.shape = Shape::One;
    for (const auto& [key, value] : after.items()) {
      compare_parts(&one, named(key), find_at(before, {key}), &value, result);
    }
    for (const auto& [key, value] : before.items()) {
      if (!after.contains(key)) compare_parts(&one, named(key), &value, nullptr, result);
    }
  } else if (field->shape == Shape::One) {
    compare_objects(*field->object, before, after, result);
  } else {
    compare_lists(*field, before, after, result);
  }
}

// ".image", `[name="app"]`, `["a.dev/x"]`
std::string path_step(const std::string& step) {
  const std::string rest = step.substr(2);
  if (step.starts_with("f:")) return "." + rest;
  if (step.starts_with("v:")) return "[=" + rest + "]";
  const Json keys = Json::parse(rest, nullptr, false);
  std::string text;
  if (keys.is_object()) {
    for (const auto& [key, value] : keys.items()) {
      text += (text.empty() ? "" : ",") + key + "=" + to_text(value);
    }
  }
  return "[" + text + "]";
}

void add_paths(const FieldSet& set, const std::string& path, std::vector<std::string>& paths) {
  if (set.member) paths.push_back(path);
  for (const auto& [step, inner] : set.parts) add_paths(inner, path + path_step(step), paths);
}

}  // namespace

const FieldSet* FieldSet::part(const std::string& step) const {
  const auto found = parts.find(step);
  return found == parts.end() ? nullptr : &found->second;
}

std::string step_of(const FieldSchema& list, const Json& element) {
  if (list.list_rule != ListRule::Keyed) return "v:" + to_text(element);
  Json keys = Json::object();
  for (const std::string_view key : list.keys) {
    if (const Json* value = find_at(element, {key}); value != nullptr && !value->is_null()) {
      keys[std::string(key)] = *value;
    } else if (const FieldSchema* field = list.object->field(key);
               field != nullptr && !field->default_text.empty()) {
      keys[std::string(key)] = field->default_text;
    }
  }
  return "k:" + to_text(keys);
}

FieldSet fields_of(const ObjectSchema& schema, const Json& object, bool with_containers) {
  FieldSet set;
  if (object.is_object()) add_object(schema, object, with_containers, set);
  return set;
}

Comparison compared(const ObjectSchema& schema, const Json& before, const Json& after) {
  Comparison result;
  compare_objects(schema, before, after, result);
  return result;
}

FieldSet united(FieldSet a, const FieldSet& b) {
  a.member = a.member || b.member;
  for (const auto& [step, part] : b.parts) {
    a.parts[step] = united(std::move(a.parts[step]), part);
  }
  return a;
}

FieldSet without(const FieldSet& a, const FieldSet& b) {
  FieldSet result{.member = a.member && !b.member};
  for (const auto& [step, part] : a.parts) {
    const FieldSet* other = b.part(step);
    FieldSet rest = other == nullptr ? part : without(part, *other);
    if (!rest.is_empty()) result.parts[step] = std::move(rest);
  }
  return result;
}

FieldSet common(const FieldSet& a, const FieldSet& b) {
  FieldSet result{.member = a.member && b.member};
  for (const auto& [step, part] : a.parts) {
    const FieldSet* other = b.part(step);
    if (other == nullptr) continue;
    FieldSet shared = common(part, *other);
    if (!shared.is_empty()) result.parts[step] = std::move(shared);
  }
  return result;
}

std::vector<std::string> paths_of(const FieldSet& set) {
  std::vector<std::string> paths;
  add_paths(set, "", paths);
  return paths;
}

Json fields_v1(const FieldSet& set) {
  Json json = Json::object();
  if (set.member && !set.parts.empty()) json["."] = Json::object();
  for (const auto& [step, part] : set.parts) json[step] = fields_v1(part);
  return json;
}

FieldSet field_set_of(const Json& fields) {
  FieldSet set;
  if (!fields.is_object()) return set;
  set.member = fields.empty() || fields.contains(".");
  for (const auto& [step, part] : fields.items()) {
    const bool known = step.starts_with("f:") || step.starts_with("k:") || step.starts_with("v:");
    if (known) set.parts[step] = field_set_of(part);
  }
  return set;
}

}  // namespace elbowroom::lab
