#include "lab/patch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace elbowroom::lab {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kSetOrder = "$setElementOrder/";
constexpr std::string_view kDeletePrimitive = "$deleteFromPrimitiveList/";
constexpr std::string_view kRetainKeys = "$retainKeys";

const FieldSchema* field_of(const ObjectSchema* schema, const std::string& name) {
  return schema == nullptr ? nullptr : schema->field(name);
}

// By what the elements of the list merge; "" where they do not.
std::string_view merge_key_of(const FieldSchema* field) {
  return field != nullptr && field->patch_merges ? field->patch_key : std::string_view();
}

// A list of plain values that grows and shrinks one by one, as finalizers do.
bool merges_values(const FieldSchema* field) {
  return field != nullptr && field->patch_merges && field->patch_key.empty();
}

bool same_key(const Json& a, const Json& b, std::string_view key) {
  const Json* left = find_at(a, {key});
  const Json* right = find_at(b, {key});
  return left != nullptr && right != nullptr && *left == *right;
}

// A value as it is stored when nothing was there before: without directives and nulls.
// The depth of what comes in is bounded by parse_object().
Json fresh(const ObjectSchema* schema, const Json& patch) {
  return patch.is_object() ? strategically_merged(schema, Json::object(), patch) : patch;
}

void reorder(Json& list, const Json& order, std::string_view key) {
  if (!list.is_array() || !order.is_array()) return;
  const auto rank = [&](const Json& item) {
    const auto it = std::ranges::find_if(order, [&](const Json& wanted) {
      return key.empty() ? wanted == item : same_key(wanted, item, key);
    });
    return std::distance(order.begin(), it);
  };
  // Only the places of the named elements change hands; the others stay where they are.
  std::vector<std::size_t> places;
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> named;  // rank, place
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::ptrdiff_t at = rank(list[i]);
    if (at == static_cast<std::ptrdiff_t>(order.size())) continue;
    places.push_back(i);
    named.emplace_back(at, i);
  }
  std::ranges::sort(named);
  const Json before = list;
  for (std::size_t i = 0; i < places.size(); ++i) list[places[i]] = before[named[i].second];
}

Json merge_list(const FieldSchema& field, Json list, const Json& patch) {
  const std::string_view key = field.patch_key;
  if (!list.is_array()) list = Json::array();
  if (std::ranges::any_of(
          patch, [](const Json& item) { return text_at(item, {kDirective}) == "replace"; })) {
    list = Json::array();
  }
  Json added = Json::array();
  for (const Json& item : patch) {
    const std::string directive = text_at(item, {kDirective});
    if (directive == "replace" && find_at(item, {key}) == nullptr) continue;
    const auto it =
        std::ranges::find_if(list, [&](const Json& live) { return same_key(live, item, key); });
    if (directive == "delete") {
      if (it != list.end()) list.erase(it);
    } else if (it != list.end()) {
      *it = strategically_merged(field.object, *it, item);
    } else {
      added.push_back(fresh(field.object, item));
    }
  }
  for (Json& item : list) added.push_back(std::move(item));
  return added;
}

void remove_primitives(Json& list, const Json& gone) {
  if (!list.is_array() || !gone.is_array()) return;
  Json left = Json::array();
  for (Json& item : list) {
    if (std::ranges::find(gone, item) == gone.end()) left.push_back(std::move(item));
  }
  list = std::move(left);
}

bool is_list_of_objects(const Json& patch) {
  return patch.is_array() && !patch.empty() &&
         std::ranges::all_of(patch, [](const Json& item) { return item.is_object(); });
}

void merge_member(const FieldSchema* field, Json& object, const std::string& name,
                  const Json& patch) {
  const std::string_view key = merge_key_of(field);
  if (patch.is_null()) {
    object.erase(name);
  } else if (patch.is_object()) {
    const auto it = object.find(name);
    const bool there = it != object.end() && it->is_object();
    // The values of a mapping are plain, whatever their names.
    const ObjectSchema* below =
        field != nullptr && field->shape == Shape::One ? field->object : nullptr;
    object[name] = there ? strategically_merged(below, *it, patch) : fresh(below, patch);
  } else if (!key.empty() && is_list_of_objects(patch)) {
    object[name] = merge_list(*field, object.value(name, Json::array()), patch);
  } else if (merges_values(field) && patch.is_array()) {
    Json& list = object[name];
    if (!list.is_array()) list = Json::array();
    for (const Json& item : patch) {
      if (std::ranges::find(list, item) == list.end()) list.push_back(item);
    }
  } else {
    object[name] = patch;
  }
}

}  // namespace

Json merge_patched(Json object, const Json& patch) {
  if (!patch.is_object()) return patch;
  if (!object.is_object()) object = Json::object();
  for (const auto& [name, value] : patch.items()) {
    if (value.is_null()) {
      object.erase(name);
    } else {
      object[name] = merge_patched(object.value(name, Json()), value);
    }
  }
  return object;
}

Json strategically_merged(const ObjectSchema* schema, Json object, const Json& patch) {
  const std::string directive = text_at(patch, {kDirective});
  if (directive == "delete") return Json::object();
  if (directive == "replace") object = Json::object();
  if (const Json& kept = list_at(patch, {kRetainKeys}); !kept.empty()) {
    Json left = Json::object();
    for (auto& [name, value] : object.items()) {
      if (std::ranges::find(kept, Json(name)) != kept.end()) left[name] = std::move(value);
    }
    object = std::move(left);
  }
  for (const auto& [name, value] : patch.items()) {
    if (name.starts_with(kDeletePrimitive)) {
      const std::string list = name.substr(kDeletePrimitive.size());
      // An atomic list is emptied by this directive upstream; only merging lists lose one item.
      if (!merges_values(field_of(schema, list)))
        object.erase(list);
      else if (const auto it = object.find(list); it != object.end())
        remove_primitives(*it, value);
    }
  }
  for (const auto& [name, value] : patch.items()) {
    if (!name.starts_with('$')) merge_member(field_of(schema, name), object, name, value);
  }
  for (const auto& [name, value] : patch.items()) {
    if (!name.starts_with(kSetOrder)) continue;
    const std::string list = name.substr(kSetOrder.size());
    if (const auto it = object.find(list); it != object.end()) {
      reorder(*it, value, merge_key_of(field_of(schema, list)));
    }
  }
  return object;
}

Answer<Json> apply_patch(const Kind& kind, PatchType type, const Json& object, const Json& patch) {
  if (type == PatchType::JsonPatch) {
    if (!patch.is_array()) return std::unexpected(bad_request("a JSON patch is a list"));
    try {
      return object.patch(patch);
    } catch (const Json::exception& thrown) {
      return std::unexpected(ApiError{
          .code = 422,
          .reason = "Invalid",
          .message =
              std::string("the server rejected our request due to an error in our request: ") +
              thrown.what()});
    }
  }
  if (!patch.is_object()) return std::unexpected(bad_request("a merge patch is a mapping"));
  if (type == PatchType::Merge) return merge_patched(object, patch);
  if (!kind.built_in) {
    return std::unexpected(ApiError{
        .code = 415,
        .reason = "UnsupportedMediaType",
        .message = "the body of the request was in an unknown format - accepted media types "
                   "include: application/json-patch+json, application/merge-patch+json"});
  }
  return strategically_merged(&schema_of(kind), object, patch);
}

}  // namespace elbowroom::lab
