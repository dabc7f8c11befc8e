#include "lab/schema/protobuf_object.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/base64.h"
#include "api/codec/timestamp.h"
#include "lab/schema/schema.h"
#include "lab/schema/wire_bytes.h"
#include "lab/schema/wire_numbers.h"

namespace elbowroom::lab {
namespace {

std::string text_of(const Json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

std::int64_t integer_of(const Json& value) {
  if (const auto* number = value.get_ptr<const Json::number_integer_t*>()) return *number;
  return 0;
}

// Seconds and, for a MicroTime, nanoseconds; Go's zero time is an empty message.
std::string time_message(const Json& value, bool has_fraction) {
  std::string message;
  const auto time = api::parse_timestamp(text_of(value));
  if (!time) return message;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  const auto rest = std::chrono::nanoseconds(*time - seconds).count();
  write_number(message, 1, seconds.time_since_epoch().count());
  write_number(message, 2, has_fraction ? rest : 0);
  return message;
}

std::string int_or_text_message(const Json& value) {
  std::string message;
  write_number(message, 1, value.is_string() ? 1 : 0);
  write_number(message, 2, integer_of(value));
  write_bytes(message, 3, text_of(value));
  return message;
}

struct Plan;

// A field with its number and form, looked up once for all objects.
struct PlannedField {
  std::uint32_t number = 0;
  std::string key{};
  const FieldSchema* form = nullptr;
  bool is_pointer = false;
  const Plan* object = nullptr;         // when the form is Object
  std::vector<PlannedField> inlined{};  // fields of a message that JSON does not show
};

// The plan for writing an object.
struct Plan {
  std::vector<PlannedField> fields{};  // by number
  bool has_all = true;                 // no number is missing in it or below it
};

using Plans = std::map<std::string_view, Plan>;

// The fields whose paths are equal up to `depth`; deeper paths make a message of their own.
// NOLINTNEXTLINE(misc-no-recursion): paths have three parts at most
std::vector<PlannedField> planned(const ObjectSchema& schema, std::span<const WireNumber> numbers,
                                  std::size_t depth, Plans& plans) {
  std::vector<PlannedField> fields;
  while (!numbers.empty()) {
    PlannedField field{.number = numbers.front().path[depth]};
    std::size_t count = 1;
    while (count < numbers.size() && numbers[count].path[depth] == field.number) ++count;
    if (numbers.front().path.size() == depth + 1) {
      field.key = numbers.front().field;
      field.form = schema.field(field.key);
      field.is_pointer = numbers.front().is_pointer;
      if (field.form != nullptr && field.form->object != nullptr) {
        field.object = &plans[field.form->object->name];
      }
    } else {
      field.inlined = planned(schema, numbers.first(count), depth + 1, plans);
    }
    if (field.form != nullptr || !field.inlined.empty()) fields.push_back(std::move(field));
    numbers = numbers.subspan(count);
  }
  return fields;
}

bool has_numbers(const ObjectSchema& schema) {
  const WireNumbers* numbers = wire_numbers(schema.name);
  if (numbers == nullptr) return false;
  return std::ranges::all_of(schema.fields, [&](const auto& entry) {
    const auto& [name, field] = entry;
    if (name == "kind" || name == "apiVersion") return true;
    return field.form != ValueForm::Number &&
           std::ranges::find(*numbers, name, &WireNumber::field) != numbers->end();
  });
}

Plans made_plans() {
  Plans plans;
  for (const auto& [name, schema] : all_schemas()) {
    plans[name].has_all = has_numbers(schema);
    const WireNumbers* numbers = wire_numbers(name);
    if (numbers != nullptr) plans[name].fields = planned(schema, *numbers, 0, plans);
  }
  // An object that contains an incomplete object is incomplete itself.
  for (bool is_new = true; std::exchange(is_new, false);) {
    for (const auto& [name, schema] : all_schemas()) {
      if (!plans[name].has_all) continue;
      for (const auto& [key, field] : schema.fields) {
        if (field.object == nullptr || plans[field.object->name].has_all) continue;
        plans[name].has_all = false;
        is_new = true;
      }
    }
  }
  return plans;
}

const Plan& plan_of(const Kind& kind) {
  static const Plans plans = made_plans();
  return plans.at(schema_of(kind).name);
}

class Writer {
 public:
  // The object's fields, with their numbers.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the schema, which is finite, and the JSON
  std::string message(const Plan& plan, const Json& object) {
    std::string out;
    std::size_t known = 0;
    write_fields(plan.fields, object, out, known);
    for (const char* elsewhere : {"kind", "apiVersion"}) {
      if (object.contains(elsewhere) && !plan_has(plan, elsewhere)) ++known;
    }
    if (known != object.size()) has_gap_ = true;
    return out;
  }

  // A field of a written object has no known number.
  [[nodiscard]] bool has_gap() const { return has_gap_; }

 private:
  static bool plan_has(const Plan& plan, std::string_view key) {
    return std::ranges::find(plan.fields, key, &PlannedField::key) != plan.fields.end();
  }

  // `known`: how many of the object's members are fields.
  // NOLINTNEXTLINE(misc-no-recursion): see message()
  void write_fields(const std::vector<PlannedField>& fields, const Json& object, std::string& out,
                    std::size_t& known) {
    for (const PlannedField& field : fields) {
      if (field.inlined.empty()) {
        write_field(field, object, out, known);
      } else {
        std::string inner;
        write_fields(field.inlined, object, inner, known);
        write_bytes(out, field.number, inner);
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): see message()
  void write_field(const PlannedField& field, const Json& object, std::string& out,
                   std::size_t& known) {
    static const Json nothing;
    const auto found = object.find(field.key);
    if (found != object.end()) ++known;
    const bool is_there = found != object.end() && !found->is_null();
    const Json& value = is_there ? *found : nothing;
    if (field.form->shape == Shape::List) {
      for (const Json& each : value) write_one(field, field.number, each, out);
    } else if (field.form->shape == Shape::Mapping) {
      for (const auto& [key, each] : value.items()) {
        std::string entry;
        write_bytes(entry, 1, key);
        write_one(field, 2, each, entry);
        write_bytes(out, field.number, entry);
      }
    } else if (is_there || !field.is_pointer) {
      write_one(field, field.number, value, out);
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): see message()
  void write_one(const PlannedField& planned, std::uint32_t field, const Json& value,
                 std::string& out) {
    switch (planned.form->form) {
      case ValueForm::Text:
        return write_bytes(out, field, text_of(value));
      case ValueForm::Bytes:
        return write_bytes(out, field, api::decode_base64(text_of(value)).value_or(""));
      case ValueForm::Int32:
      case ValueForm::Int64:
        return write_number(out, field, integer_of(value));
      case ValueForm::Bool:
        return write_number(out, field, value == true ? 1 : 0);
      case ValueForm::Quantity: {
        std::string quantity;
        if (!value.is_null()) write_bytes(quantity, 1, quantity_text(value));
        return write_bytes(out, field, quantity);
      }
      case ValueForm::IntOrText:
        return write_bytes(out, field, int_or_text_message(value));
      case ValueForm::Time:
        return write_bytes(out, field, time_message(value, false));
      case ValueForm::MicroTime:
        return write_bytes(out, field, time_message(value, true));
      case ValueForm::Any: {  // of our kinds only FieldsV1, which contains JSON
        std::string fields;
        write_bytes(fields, 1, to_text(value));
        return write_bytes(out, field, fields);
      }
      case ValueForm::Object:
        return write_bytes(out, field,
                           message(*planned.object, value.is_null() ? Json::object() : value));
      case ValueForm::Number:
        has_gap_ = true;
    }
  }

  static std::string quantity_text(const Json& value) {
    return value.is_string() ? text_of(value) : to_text(value);
  }

  bool has_gap_ = false;
};

}  // namespace

bool supports_protobuf(const Kind& kind) { return plan_of(kind).has_all; }

std::optional<std::string> protobuf_item(const Kind& kind, const Json& object) {
  Writer writer;
  std::string message = writer.message(plan_of(kind), object);
  if (writer.has_gap()) return std::nullopt;
  return message;
}

std::string protobuf_envelope(std::string_view api_version, std::string_view kind,
                              std::string_view raw) {
  std::string type;
  write_bytes(type, 1, api_version);
  write_bytes(type, 2, kind);
  std::string body{"k8s\0", 4};
  write_bytes(body, 1, type);
  write_bytes(body, 2, raw);
  write_bytes(body, 3, "");
  write_bytes(body, 4, "");
  return body;
}

std::string protobuf_object(const Kind& kind, const Json& object) {
  return protobuf_envelope(api_version_of(kind), kind.name,
                           Writer().message(plan_of(kind), object));
}

}  // namespace elbowroom::lab
