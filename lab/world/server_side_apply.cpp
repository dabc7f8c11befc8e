#include "lab/world/server_side_apply.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lab/schema/schema.h"

namespace elbowroom::lab {
namespace {

// Looks for values that cannot be applied; parse_object() bounds its depth.
class ConfigCheck {
 public:
  [[nodiscard]] std::vector<std::string> look(const ObjectSchema& schema, const Json& config) && {
    look_at_object(schema, config, "");
    return std::move(problems_);
  }

 private:
  void look_at_object(const ObjectSchema& schema, const Json& object, const std::string& path) {
    if (!object.is_object()) return;
    for (const auto& [name, value] : object.items()) {
      const std::string place = path + "." + name;
      const FieldSchema* field = schema.field(name);
      if (field == nullptr) {
        problems_.push_back(place + ": field not declared in schema");
      } else if (!value.is_null()) {
        look_at_value(*field, value, place);
      }
    }
  }

  void look_at_value(const FieldSchema& field, const Json& value, const std::string& path) {
    if (field.shape == Shape::List) {
      look_at_list(field, value, path);
    } else if (field.shape == Shape::Mapping) {
      if (!value.is_object()) problems_.push_back(path + ": expected map, got " + to_text(value));
    } else if (field.form == ValueForm::Object) {
      if (!value.is_object()) problems_.push_back(path + ": expected map, got " + to_text(value));
      look_at_object(*field.object, value, path);
    } else if (value.is_structured() && field.form != ValueForm::Any) {
      problems_.push_back(path + ": expected a scalar, got " + to_text(value));
    }
  }

  void look_at_list(const FieldSchema& field, const Json& list, const std::string& path) {
    if (!list.is_array()) {
      problems_.push_back(path + ": expected list, got " + to_text(list));
      return;
    }
    std::set<std::string> steps;
    for (const Json& element : list) {
      const std::string step = step_of(field, element);
      FieldSet one;
      one.parts[step].member = true;
      const std::string named = paths_of(one).front();
      if (field.list_rule != ListRule::Atomic && !steps.insert(step).second) {
        problems_.push_back(path + ": duplicate entries for key " + named);
      }
      if (field.form == ValueForm::Object) look_at_object(*field.object, element, path + named);
    }
  }

  std::vector<std::string> problems_{};
};

Json merged_value(const FieldSchema* field, const Json& live, const Json& config);

Json merged_object(const ObjectSchema& schema, Json live, const Json& config) {
  if (!live.is_object()) live = Json::object();
  for (const auto& [name, value] : config.items()) {
    if (value.is_null()) continue;
    live[name] = merged_value(schema.field(name), live.value(name, Json()), value);
  }
  return live;
}

Json merged_list(const FieldSchema& field, Json live, const Json& config) {
  if (!live.is_array()) live = Json::array();
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < live.size(); ++i) places.emplace(step_of(field, live[i]), i);
  for (const Json& element : config) {
    const auto place = places.find(step_of(field, element));
    if (place == places.end()) {
      const bool keyed = field.list_rule == ListRule::Keyed;
      live.push_back(keyed ? merged_object(*field.object, Json::object(), element) : element);
    } else if (field.list_rule == ListRule::Keyed) {
      Json& there = live[place->second];
      there = merged_object(*field.object, std::move(there), element);
    }
  }
  return live;
}

Json merged_value(const FieldSchema* field, const Json& live, const Json& config) {
  if (field == nullptr) return config;
  if (field->shape == Shape::List) {
    return field->list_rule == ListRule::Atomic ? config : merged_list(*field, live, config);
  }
  if (!is_granular(*field) || !config.is_object()) return config;
  if (field->shape == Shape::One) return merged_object(*field->object, live, config);
  Json map = live.is_object() ? live : Json::object();
  for (const auto& [key, value] : config.items()) {
    if (!value.is_null()) map[key] = value;
  }
  return map;
}

// Removes one part of a value: a member, an element with those keys, an element of a set.
void remove_part(const FieldSchema* field, const std::string& step, Json& value) {
  if (step.starts_with("f:")) {
    if (value.is_object()) value.erase(step.substr(2));
    return;
  }
  if (field == nullptr || !value.is_array()) return;
  const auto gone = std::ranges::find_if(
      value, [&](const Json& element) { return step_of(*field, element) == step; });
  if (gone != value.end()) value.erase(gone);
}

Json* part_of(const FieldSchema* field, const std::string& step, Json& value) {
  if (step.starts_with("f:")) {
    const auto found = value.is_object() ? value.find(step.substr(2)) : value.end();
    return value.is_object() && found != value.end() ? &*found : nullptr;
  }
  if (field == nullptr || !value.is_array()) return nullptr;
  const auto found = std::ranges::find_if(
      value, [&](const Json& element) { return step_of(*field, element) == step; });
  return found == value.end() ? nullptr : &*found;
}

// The schema below a step; `object` is what the members of `value` are fields of.
const FieldSchema* schema_below(const FieldSchema* field, const ObjectSchema* object,
                                const std::string& step) {
  if (!step.starts_with("f:")) return field;  // an element of the list
  return object == nullptr ? nullptr : object->field(step.substr(2));
}

// Removes what `last` owned and `next` no longer sets, unless another set owns it.
void release(const FieldSchema* field, const ObjectSchema* object, const FieldSet& last,
             const FieldSet* next, const std::vector<const FieldSet*>& others, Json& value) {
  for (const auto& [step, part] : last.parts) {
    const FieldSet* said = next == nullptr ? nullptr : next->part(step);
    std::vector<const FieldSet*> held;
    for (const FieldSet* other : others) {
      if (const FieldSet* inner = other->part(step); inner != nullptr) held.push_back(inner);
    }
    if (said == nullptr && held.empty()) {
      remove_part(field, step, value);
      continue;
    }
    Json* inner = part_of(field, step, value);
    if (inner == nullptr) continue;
    const FieldSchema* below = schema_below(field, object, step);
    const bool element = !step.starts_with("f:");
    const bool has_fields = below != nullptr && (element || below->shape == Shape::One);
    release(element ? nullptr : below, has_fields ? below->object : nullptr, part, said, held,
            *inner);
  }
}

std::string in_quotes(const std::string& text) { return to_text(Json(text)); }

std::string manager_text(const ManagedFields& entry) {
  std::string text = in_quotes(entry.writer.manager);
  if (!entry.writer.subresource.empty()) {
    text += " with subresource " + in_quotes(entry.writer.subresource);
  }
  if (entry.writer.applies) return text;
  text += " using " + entry.api_version;
  return entry.time.empty() ? text : text + " at " + entry.time;
}

struct Collision {
  std::string manager{};  // as text
  std::vector<std::string> paths{};
};

ApiError conflicts_error(const Kind& kind, const std::string& name,
                         std::vector<Collision> collisions) {
  std::ranges::sort(collisions, {}, &Collision::manager);
  ApiError error = conflict(kind, name, "");
  error.details["causes"] = Json::array();
  std::size_t count = 0;
  std::string lines;
  for (const Collision& collision : collisions) {
    lines += (lines.empty() ? "" : "\n") + ("conflicts with " + collision.manager + ":");
    for (const std::string& path : collision.paths) {
      ++count;
      lines += "\n- " + path;
      error.details["causes"].push_back({{"reason", "FieldManagerConflict"},
                                         {"message", "conflict with " + collision.manager},
                                         {"field", path}});
    }
  }
  error.message = count == 1
                      ? "Apply failed with 1 conflict: conflict with " +
                            collisions.front().manager + ": " + collisions.front().paths.front()
                      : "Apply failed with " + std::to_string(count) + " conflicts: " + lines;
  return error;
}

std::optional<ApiError> refuse_config(const Kind& kind, const Json& config) {
  const std::vector<std::string> problems = ConfigCheck().look(schema_of(kind), config);
  if (problems.empty()) return std::nullopt;
  std::string all = problems.front();
  if (problems.size() > 1) {
    all = "errors:";
    for (const std::string& problem : problems) all += "\n  " + problem;
  }
  const std::string ns = text_at(config, {"metadata", "namespace"});
  return ApiError{.code = 500,
                  .message = "failed to create typed patch object (" + ns + "/" +
                             text_at(config, {"metadata", "name"}) + "; " +
                             std::string(kind.group) + "/" + std::string(kind.version) +
                             ", Kind=" + std::string(kind.name) + "): " + all};
}

// The writer owns those fields from now on; a writer that owns nothing has no entry.
void note_owner(std::vector<ManagedFields>& managers, const Kind& kind, const ApplyRequest& request,
                const FieldSet& fields, bool has_changed) {
  const auto own = std::ranges::find(managers, request.writer, &ManagedFields::writer);
  if (own == managers.end()) {
    managers.insert(managers.begin(), {.writer = request.writer,
                                       .api_version = api_version_of(kind),
                                       .time = request.time,
                                       .fields = fields});
  } else if (own->fields != fields || has_changed) {
    own->fields = fields;
    own->time = request.time;
  }
  std::erase_if(managers, [](const ManagedFields& entry) { return entry.fields.is_empty(); });
}

}  // namespace

Answer<AppliedObject> applied(const Kind& kind, const Json& live, const Json& config,
                              const ApplyRequest& request) {
  if (auto refused = refuse_config(kind, config)) return std::unexpected(*std::move(refused));
  const ObjectSchema& schema = schema_of(kind);
  const FieldWriter& writer = request.writer;
  const Json said = owned_part(kind, writer.subresource, config);
  const FieldSet next = fields_of(schema, said, false);

  std::vector<ManagedFields> managers = managed_fields_of(live);
  FieldSet last;
  std::vector<const FieldSet*> others;
  for (const ManagedFields& entry : managers) {
    if (entry.writer == writer)
      last = entry.fields;
    else
      others.push_back(&entry.fields);
  }
  AppliedObject result{.object = merged_object(schema, live, said)};
  // The name and the rest of metadata have no owner and stay when the other fields are released.
  FieldSet stays = next;
  stays.parts.try_emplace("f:metadata");
  release(nullptr, &schema, last, &stays, others, result.object);

  const Comparison change = compared(schema, owned_part(kind, writer.subresource, live),
                                     owned_part(kind, writer.subresource, result.object));
  std::vector<Collision> collisions;
  for (ManagedFields& entry : managers) {
    if (entry.writer == writer) continue;
    const FieldSet shared = common(change.changed, entry.fields);
    if (!shared.is_empty()) {
      collisions.push_back({.manager = manager_text(entry), .paths = paths_of(shared)});
    }
    entry.fields = without(entry.fields, united(change.changed, change.removed));
  }
  if (!collisions.empty() && !request.force) {
    return std::unexpected(
        conflicts_error(kind, text_at(config, {"metadata", "name"}), std::move(collisions)));
  }
  const bool has_changed = !change.changed.is_empty() || !change.removed.is_empty();
  note_owner(managers, kind, request, next, has_changed);
  result.managers = std::move(managers);
  return result;
}

}  // namespace elbowroom::lab
