#include "lab/strict_fields.h"

#include <functional>
#include <set>
#include <utility>

#include "api/timestamp.h"
#include "lab/schema.h"

namespace elbowroom::lab {
namespace {

constexpr std::size_t kMostProblems = 100;

std::string joined(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

std::string at_index(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

// The depth of what comes in is bounded by parse_object(), so this may call itself.
void drop_unknown(const ObjectSchema& schema, Json& object, const std::string& path,
                  std::vector<std::string>& problems) {
  if (!object.is_object()) return;
  for (auto it = object.begin(); it != object.end();) {
    const FieldSchema* field = schema.field(it.key());
    const std::string place = joined(path, it.key());
    if (field == nullptr) {
      if (problems.size() < kMostProblems) problems.push_back("unknown field \"" + place + "\"");
      it = object.erase(it);
      continue;
    }
    Json& value = it.value();
    ++it;
    if (field->object == nullptr) continue;
    if (field->shape == Shape::One) {
      drop_unknown(*field->object, value, place, problems);
    } else if (field->shape == Shape::List && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        drop_unknown(*field->object, value[i], at_index(place, i), problems);
      }
    } else if (field->shape == Shape::Mapping && value.is_object()) {
      for (auto& [key, inner] : value.items()) {
        drop_unknown(*field->object, inner, joined(place, key), problems);
      }
    }
  }
}

// Go's name for a type, as its decoder says it.
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
  // The first thing that is wrong, as Go's decoder says it; "" where nothing is.
  [[nodiscard]] std::string look(const ObjectSchema& schema, const Json& object,
                                 const std::string& path) {
    for (const auto& [name, value] : object.items()) {
      const FieldSchema* field = schema.field(name);
      if (field == nullptr || value.is_null()) continue;
      if (auto problem = look_at(schema, *field, value, joined(path, name)); !problem.empty()) {
        return problem;
      }
    }
    return {};
  }

 private:
  [[nodiscard]] std::string look_at(const ObjectSchema& owner, const FieldSchema& field,
                                    const Json& value, const std::string& path) {
    if (field.shape == Shape::One) return look_one(owner, field, value, path);
    if (field.shape == Shape::List ? !value.is_array() : !value.is_object()) {
      return mismatch(owner, value, path, go_type(field));
    }
    for (const Json& element : value) {
      if (element.is_null()) continue;
      if (auto problem = look_one(owner, field, element, path); !problem.empty()) return problem;
    }
    return {};
  }

  [[nodiscard]] std::string look_one(const ObjectSchema& owner, const FieldSchema& field,
                                     const Json& value, const std::string& path) {
    FieldSchema one = field;
    one.shape = Shape::One;
    if (!holds(value, field.form)) return mismatch(owner, value, path, go_type(one));
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
    return field.form == ValueForm::Object ? look(*field.object, value, path) : std::string();
  }

  [[nodiscard]] static std::string mismatch(const ObjectSchema& owner, const Json& value,
                                            const std::string& path, const std::string& type) {
    return std::string("json: cannot unmarshal ") + json_type(value) + " into Go struct field " +
           std::string(owner.name.substr(owner.name.rfind('.') + 1)) + "." + path + " of type " +
           type;
  }
};

// Follows the text of a mapping and remembers the keys of every level.
class KeyWatch {
 public:
  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      enter(event == Event::array_start);
    } else if (event == Event::object_end || event == Event::array_end) {
      levels_.pop_back();
      leave_value();
    } else if (event == Event::key) {
      const std::string key = parsed.get<std::string>();
      Level& level = levels_.back();
      level.here = joined(level.path, key);
      if (!level.keys.insert(key).second && found_.size() < kMostProblems) {
        found_.push_back("duplicate field \"" + level.here + "\"");
      }
    } else {
      leave_value();
    }
    return true;
  }

  [[nodiscard]] std::vector<std::string> found() && { return std::move(found_); }

 private:
  struct Level {
    std::string path{};
    std::string here{};  // of the value that comes next
    bool list = false;
    std::size_t index = 0;
    std::set<std::string> keys{};
  };

  void enter(bool list) {
    const std::string path = levels_.empty() ? "" : levels_.back().here;
    levels_.push_back({.path = path, .here = list ? at_index(path, 0) : path, .list = list});
  }

  void leave_value() {
    if (levels_.empty() || !levels_.back().list) return;
    Level& level = levels_.back();
    level.here = at_index(level.path, ++level.index);
  }

  std::vector<Level> levels_{};
  std::vector<std::string> found_{};
};

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
  drop_unknown(schema_of(kind), object, "", problems);
  return problems;
}

std::vector<std::string> duplicate_fields(std::string_view text) {
  KeyWatch watch;
  [[maybe_unused]] const Json parsed = Json::parse(text, std::ref(watch), false);
  return std::move(watch).found();
}

std::optional<ApiError> refuse_types(const Kind& kind, const Json& object) {
  if (!object.is_object()) return std::nullopt;
  const std::string problem = TypeCheck().look(schema_of(kind), object, "");
  if (problem.empty()) return std::nullopt;
  return cannot_be_handled(kind, problem);
}

ApiError strict_error(const Kind& kind, const std::vector<std::string>& problems) {
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : ", ") + problem;
  return cannot_be_handled(kind, "strict decoding error: " + all);
}

}  // namespace elbowroom::lab
