#include "lab/world/patch.h"

#include <algorithm>
#include <charconv>
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

// The key by which elements of the list merge; "" if they do not merge.
std::string_view merge_key_of(const FieldSchema* field) {
  return field != nullptr && field->patch_merges ? field->patch_key : std::string_view();
}

// A list of plain values that are added and removed one by one, such as finalizers.
bool merges_values(const FieldSchema* field) {
  return field != nullptr && field->patch_merges && field->patch_key.empty();
}

bool same_key(const Json& a, const Json& b, std::string_view key) {
  const Json* left = find_at(a, {key});
  const Json* right = find_at(b, {key});
  return left != nullptr && right != nullptr && *left == *right;
}

// A value as stored when there was none before: without directives and nulls. parse_object() bounds
// the depth of the input.
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
  // Only the named elements swap places; the others stay where they are.
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
      *it = strategically_merged(field.object, std::move(*it), item);
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
    // The values of a mapping are plain, whatever their keys.
    const ObjectSchema* below =
        field != nullptr && field->shape == Shape::One ? field->object : nullptr;
    object[name] = there ? strategically_merged(below, std::move(*it), patch) : fresh(below, patch);
  } else if (!key.empty() && is_list_of_objects(patch)) {
    Json& list = object[name];
    list = merge_list(*field, std::move(list), patch);
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

// ---- JSON patches ----

constexpr std::string_view kRefused =
    "the server rejected our request due to an error in our request: ";

// The value that a JSON pointer names; nothing if it does not exist.
const Json* named_by(const Json& document, std::string_view pointer) {
  const Json* at = &document;
  while (!pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    std::string key(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(key.size());
    for (const auto& [escaped, plain] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
      for (auto i = key.find(escaped); i != std::string::npos; i = key.find(escaped, i + 1)) {
        key.replace(i, 2, plain);
      }
    }
    if (at->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      if (error != std::errc() || end != key.data() + key.size() || index >= at->size()) {
        return nullptr;
      }
      at = &(*at)[index];
    } else if (const auto it = at->find(key); at->is_object() && it != at->end()) {
      at = &*it;
    } else {
      return nullptr;
    }
  }
  return at;
}

// The parent of the value that the pointer names, whether or not that value exists.
const Json* holder_of(const Json& document, std::string_view pointer) {
  const std::size_t last = pointer.rfind('/');
  const Json* holder =
      last == std::string_view::npos ? nullptr : named_by(document, pointer.substr(0, last));
  return holder != nullptr && (holder->is_object() || holder->is_array()) ? holder : nullptr;
}

std::string no_place(const Json& holder, std::string_view path) {
  const std::string key(path.substr(path.rfind('/') + 1));
  if (holder.is_object()) return "Unable to remove nonexistent key: " + key + ": missing value";
  const bool is_number =
      !key.empty() && std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? "Unable to access invalid index: " + key + ": invalid index referenced"
                   : "value was not a proper array index: '" + key + "'";
}

// Why an operation does not apply to `document`, in the words of the library that the API server
// uses (evanphx/json-patch).
std::string why_not(const Json& document, const Json& operation) {
  const std::string op = text_at(operation, {"op"});
  const bool has_source = op == "move" || op == "copy";
  if (!has_source && op != "add" && op != "remove" && op != "replace" && op != "test") {
    return "Unexpected kind: " + (op.empty() ? "unknown" : op);
  }
  const auto undecodable = [&](const std::string& field) {
    return op + " operation failed to decode " + field + ": operation missing " + field +
           " field: missing value";
  };
  const auto missing = [&](const std::string& what) {
    return op + " operation does not apply: " + what + ": missing value";
  };
  const auto is_text = [&](const char* field) {
    const Json* found = find_at(operation, {field});
    return found != nullptr && found->is_string();
  };
  if (has_source) {
    if (!is_text("from")) return undecodable("from");
    const std::string from = text_at(operation, {"from"});
    const Json* holder = holder_of(document, from);
    if (holder == nullptr) return missing("doc is missing from path: " + from);
    if (named_by(document, from) == nullptr) {
      return "error in " + op + (op == "move" ? " for path: '" : " for from: '") + from +
             "': " + no_place(*holder, from);
    }
  }
  if (!is_text("path")) return undecodable("path");
  const std::string path = text_at(operation, {"path"});
  const Json* holder = holder_of(document, path);
  if (holder == nullptr) {
    if (has_source) return missing("doc is missing destination path: " + path);
    if (op == "test") return missing("is missing path: " + path);
    return missing("doc is missing path: " + (op == "replace" ? path : "\"" + path + "\""));
  }
  if (op == "test") return "testing value " + path + " failed: test failed";
  if (op == "replace" && named_by(document, path) == nullptr) {
    return missing("doc is missing key: " + path);
  }
  if (op != "remove" && holder->is_object()) return op + " operation failed to decode value";
  return "error in " + op + " for path: '" + path + "': " + no_place(*holder, path);
}

// A test for null passes on a member that is absent, as in the API server's library.
bool is_test_for_absence(const Json& document, const Json& operation) {
  if (text_at(operation, {"op"}) != "test") return false;
  const Json* value = find_at(operation, {"value"});
  if (value == nullptr || !value->is_null()) return false;
  const std::string path = text_at(operation, {"path"});
  const Json* holder = holder_of(document, path);
  return holder != nullptr && holder->is_object() && named_by(document, path) == nullptr;
}

// Applies all operations, or returns the error of the first that does not apply.
Answer<Json> json_patched(Json object, const Json& patch) {
  for (const Json& operation : patch) {
    if (is_test_for_absence(object, operation)) continue;
    const Json before = text_at(operation, {"op"}) == "move" ? object : Json();
    try {
      object.patch_inplace(Json::array({operation}));
    } catch (const Json::exception&) {
      // The exception's text is this library's; a move may have left the object without its value.
      const Json& judged = before.is_null() ? object : before;
      return std::unexpected(
          ApiError{.code = 422,
                   .reason = "Invalid",
                   .message = std::string(kRefused) + why_not(judged, operation)});
    }
  }
  return object;
}

}  // namespace

Json merge_patched(Json object, const Json& patch) {
  if (!patch.is_object()) return patch;
  if (!object.is_object()) object = Json::object();
  for (const auto& [name, value] : patch.items()) {
    if (value.is_null()) {
      object.erase(name);
    } else {
      Json& member = object[name];
      member = merge_patched(std::move(member), value);
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
      // Upstream empties an atomic list on this directive; only merging lists lose one item.
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

Answer<Json> apply_patch(const Kind& kind, PatchType type, Json object, const Json& patch) {
  if (type == PatchType::JsonPatch) {
    if (!patch.is_array()) return std::unexpected(bad_request("a JSON patch is a list"));
    return json_patched(std::move(object), patch);
  }
  if (!patch.is_object()) return std::unexpected(bad_request("a merge patch is a mapping"));
  if (type == PatchType::Merge) return merge_patched(std::move(object), patch);
  if (!kind.built_in) {
    return std::unexpected(ApiError{
        .code = 415,
        .reason = "UnsupportedMediaType",
        .message = "the body of the request was in an unknown format - accepted media types "
                   "include: application/json-patch+json, application/merge-patch+json"});
  }
  return strategically_merged(&schema_of(kind), std::move(object), patch);
}

}  // namespace elbowroom::lab
