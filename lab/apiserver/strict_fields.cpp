#include "lab/apiserver/strict_fields.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "api/codec/timestamp.h"
#include "lab/schema/schema.h"

namespace elbowroom::lab {
namespace {

constexpr std::size_t kMostProblems = 100;

// The position of a value, linked from the inside out. The text is rarely needed, so it is built on
// demand.
struct Place {
  const Place* around = nullptr;           // nullptr: the whole object
  std::optional<std::string_view> name{};  // nothing: an element of a list
  std::size_t index = 0;

  // "spec.containers[0].image"
  [[nodiscard]] std::string text() const {
    if (around == nullptr) return {};
    std::string path = around->text();
    if (!name) return path + "[" + std::to_string(index) + "]";
    return path.empty() ? std::string(*name) : path + "." + std::string(*name);
  }
};

// parse_object() bounds the depth of the input, so this may recurse.
void drop_unknown(const ObjectSchema& schema, Json& object, const Place& place,
                  std::vector<std::string>& problems) {
  if (!object.is_object()) return;
  for (auto it = object.begin(); it != object.end();) {
    const FieldSchema* field = schema.field(it.key());
    const Place here{.around = &place, .name = it.key()};
    if (field == nullptr) {
      if (problems.size() < kMostProblems) {
        problems.push_back("unknown field \"" + here.text() + "\"");
      }
      it = object.erase(it);
      continue;
    }
    Json& value = it.value();
    ++it;
    if (field->object == nullptr) continue;
    if (field->shape == Shape::One) {
      drop_unknown(*field->object, value, here, problems);
    } else if (field->shape == Shape::List && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        drop_unknown(*field->object, value[i], {.around = &here, .index = i}, problems);
      }
    } else if (field->shape == Shape::Mapping && value.is_object()) {
      for (auto& [key, inner] : value.items()) {
        drop_unknown(*field->object, inner, {.around = &here, .name = key}, problems);
      }
    }
  }
}

// Go's name for a type, as its decoder prints it.
std::string go_type(const FieldSchema& field) {
  std::string type;
  switch (field.form) {
    case ValueForm::Text:
      type = "string";
      break;
    case ValueForm::Bytes:
      type = "[]uint8";
      break;
    case ValueForm::Int32:
      type = "int32";
      break;
    case ValueForm::Int64:
      type = "int64";
      break;
    case ValueForm::Number:
      type = "float64";
      break;
    case ValueForm::Bool:
      type = "bool";
      break;
    case ValueForm::Quantity:
      type = "resource.Quantity";
      break;
    case ValueForm::IntOrText:
      type = "intstr.IntOrString";
      break;
    case ValueForm::Time:
      type = "v1.Time";
      break;
    case ValueForm::MicroTime:
      type = "v1.MicroTime";
      break;
    case ValueForm::Any:
      type = "interface {}";
      break;
    case ValueForm::Object: {
      const std::string_view name = field.object->name;
      type = name.substr(name.find('.') + 1);
      break;
    }
  }
  if (field.shape == Shape::List) return "[]" + type;
  if (field.shape == Shape::Mapping) return "map[string]" + type;
  return type;
}

const char* json_type(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  return "number";
}

bool holds(const Json& value, ValueForm form) {
  switch (form) {
    case ValueForm::Text:
    case ValueForm::Bytes:
    case ValueForm::Time:
    case ValueForm::MicroTime:
      return value.is_string();
    case ValueForm::Int32: {
      const auto number = value.is_number_integer() ? value.get<std::int64_t>() : INT64_MAX;
      return value.is_number_integer() && number >= INT32_MIN && number <= INT32_MAX;
    }
    case ValueForm::Int64:
      return value.is_number_integer();
    case ValueForm::Number:
      return value.is_number();
    case ValueForm::Bool:
      return value.is_boolean();
    case ValueForm::Quantity:
      return value.is_string() || value.is_number();
    case ValueForm::IntOrText:
      return value.is_string() || value.is_number_integer();
    case ValueForm::Any:
      return true;
    case ValueForm::Object:
      return value.is_object();
  }
  return false;
}

// [+-]?[0-9.]+ and a suffix of unit letters, or an exponent.
bool is_quantity(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t end = text.find_first_not_of("0123456789.");
  if (end == 0 || text.empty()) return false;
  if (end == std::string_view::npos) return true;
  return text.find_first_not_of("eEinumkKMGTP0123456789+-", end) == std::string_view::npos;
}

class TypeCheck {
 public:
  // The first error, in the words of Go's decoder; "" if there is none.
  [[nodiscard]] std::string look(const ObjectSchema& schema, const Json& object,
                                 const Place& place) {
    for (auto it = object.begin(); it != object.end(); ++it) {
      const FieldSchema* field = schema.field(it.key());
      if (field == nullptr || it->is_null()) continue;
      const Place here{.around = &place, .name = it.key()};
      if (auto problem = look_at(schema, *field, *it, here); !problem.empty()) return problem;
    }
    return {};
  }

 private:
  [[nodiscard]] std::string look_at(const ObjectSchema& owner, const FieldSchema& field,
                                    const Json& value, const Place& place) {
    if (field.shape == Shape::One) return look_one(owner, field, value, place);
    if (field.shape == Shape::List ? !value.is_array() : !value.is_object()) {
      return mismatch(owner, value, place, go_type(field));
    }
    for (const Json& element : value) {
      if (element.is_null()) continue;
      if (auto problem = look_one(owner, field, element, place); !problem.empty()) return problem;
    }
    return {};
  }

  [[nodiscard]] std::string look_one(const ObjectSchema& owner, const FieldSchema& field,
                                     const Json& value, const Place& place) {
    if (!holds(value, field.form)) {
      FieldSchema one = field;
      one.shape = Shape::One;
      return mismatch(owner, value, place, go_type(one));
    }
    if (field.form == ValueForm::Time && !value.get_ref<const std::string&>().empty() &&
        !api::parse_timestamp(value.get_ref<const std::string&>())) {
      return "parsing time " + to_text(value) + " as \"2006-01-02T15:04:05Z07:00\": cannot parse " +
             to_text(value) + " as \"2006\"";
    }
    if (field.form == ValueForm::Quantity && value.is_string() &&
        !is_quantity(value.get_ref<const std::string&>())) {
      return "quantities must match the regular expression "
             "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    }
    return field.form == ValueForm::Object ? look(*field.object, value, place) : std::string();
  }

  [[nodiscard]] static std::string mismatch(const ObjectSchema& owner, const Json& value,
                                            const Place& place, const std::string& type) {
    return std::string("json: cannot unmarshal ") + json_type(value) + " into Go struct field " +
           std::string(owner.name.substr(owner.name.rfind('.') + 1)) + "." + place.text() +
           " of type " + type;
  }
};

// Follows the text of a mapping and records the keys of every level.
class DuplicateKeyFinder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return leave_value(); }
  bool boolean(bool) override { return leave_value(); }
  bool number_integer(number_integer_t) override { return leave_value(); }
  bool number_unsigned(number_unsigned_t) override { return leave_value(); }
  bool number_float(number_float_t, const string_t&) override { return leave_value(); }
  bool string(string_t&) override { return leave_value(); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return enter(false); }
  bool start_array(std::size_t) override { return enter(true); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }
  bool key(string_t& key) override {
    Level& level = levels_.back();
    const auto [at, is_new] = level.keys.insert(std::move(key));
    level.key = &*at;
    if (!is_new && found_.size() < kMostProblems) {
      found_.push_back("duplicate field \"" + here() + "\"");
    }
    return true;
  }

  [[nodiscard]] std::vector<std::string> found() && { return std::move(found_); }

 private:
  struct Level {
    bool list = false;
    std::size_t index = 0;
    std::set<std::string> keys{};
    const std::string* key = nullptr;  // of the next value, in a mapping
  };

  bool enter(bool list) {
    levels_.push_back({.list = list});
    return true;
  }
  bool leave() {
    levels_.pop_back();
    return leave_value();
  }
  bool leave_value() {
    if (!levels_.empty() && levels_.back().list) ++levels_.back().index;
    return true;
  }

  // The path of the next value.
  [[nodiscard]] std::string here() const {
    std::deque<Place> places(1);
    for (const Level& level : levels_) {
      Place place{.around = &places.back(), .index = level.index};
      if (!level.list) place.name = *level.key;
      places.push_back(place);
    }
    return places.back().text();
  }

  std::vector<Level> levels_{};
  std::vector<std::string> found_{};
};

// False: no mapping has a duplicate key. Cheap, because it runs on every text that is written: it
// compares keys as they are spelled.
bool may_have_duplicate_key(std::string_view text) {
  std::vector<std::string_view> keys;  // of all open mappings, the innermost's last
  std::vector<std::size_t> first;      // of each open mapping: the index of its first key
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') first.push_back(keys.size());
    if ((c == '}' || c == ']') && !first.empty()) {
      keys.resize(first.back());
      first.pop_back();
    }
    if (c != '"') continue;
    const std::size_t begin = at + 1;
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next == std::string_view::npos || text[next] != ':') continue;
    const std::string_view key = text.substr(begin, at - begin);
    if (first.empty() || key.contains('\\')) return true;
    const auto own = std::span(keys).subspan(first.back());
    if (std::ranges::find(own, key) != own.end()) return true;
    keys.push_back(key);
  }
  return false;
}

ApiError cannot_be_handled(const Kind& kind, const std::string& why) {
  const std::string name(kind.name);
  return bad_request(name + " in version \"" + std::string(kind.version) +
                     "\" cannot be handled as a " + name + ": " + why);
}

}  // namespace

Answer<FieldValidation> field_validation(const std::string& asked) {
  if (asked.empty() || asked == "Warn") return FieldValidation::Warn;
  if (asked == "Ignore") return FieldValidation::Ignore;
  if (asked == "Strict") return FieldValidation::Strict;
  return std::unexpected(bad_request("fieldValidation: Unsupported value: \"" + asked +
                                     "\": supported values: \"Ignore\", \"Strict\", \"Warn\""));
}

std::vector<std::string> drop_unknown_fields(const Kind& kind, Json& object) {
  std::vector<std::string> problems;
  drop_unknown(schema_of(kind), object, Place(), problems);
  return problems;
}

std::vector<std::string> duplicate_fields(std::string_view text) {
  if (!may_have_duplicate_key(text)) return {};
  DuplicateKeyFinder watch;
  (void)Json::sax_parse(text, &watch);
  return std::move(watch).found();
}

std::optional<ApiError> refuse_types(const Kind& kind, const Json& object) {
  if (!object.is_object()) return std::nullopt;
  const std::string problem = TypeCheck().look(schema_of(kind), object, Place());
  if (problem.empty()) return std::nullopt;
  return cannot_be_handled(kind, problem);
}

ApiError strict_error(const Kind& kind, const std::vector<std::string>& problems) {
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : ", ") + problem;
  return cannot_be_handled(kind, "strict decoding error: " + all);
}

}  // namespace elbowroom::lab
