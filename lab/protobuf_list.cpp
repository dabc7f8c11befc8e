#include "lab/protobuf_list.h"

#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/base64.h"
#include "api/timestamp.h"
#include "lab/protobuf_body.h"
#include "lab/schema.h"
#include "lab/wire_numbers.h"

namespace elbowroom::lab {
namespace {

void write_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) out.push_back(static_cast<char>(value | 0x80U));
  out.push_back(static_cast<char>(value));
}

void write_number(std::string& out, std::uint32_t field, std::int64_t value) {
  write_varint(out, std::uint64_t{field} << 3U);
  write_varint(out, static_cast<std::uint64_t>(value));
}

void write_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  write_varint(out, std::uint64_t{field} << 3U | 2U);
  write_varint(out, bytes.size());
  out += bytes;
}

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

class Writer {
 public:
  // The object's fields, with their numbers.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the schema, which is finite, and the JSON
  std::string message(const ObjectSchema& schema, const Json& object) {
    std::string out;
    const WireNumbers* numbers = wire_numbers(schema.name);
    if (numbers == nullptr) {
      has_gap_ = true;
      return out;
    }
    find_gaps(schema, *numbers, object);
    write_group(schema, *numbers, 0, object, out);
    return out;
  }

  [[nodiscard]] bool has_gap() const { return has_gap_; }

 private:
  void find_gaps(const ObjectSchema& schema, const WireNumbers& numbers, const Json& object) {
    for (const auto& [name, value] : object.items()) {
      if (name == "kind" || name == "apiVersion" || value.is_null()) continue;
      bool is_known = false;
      for (const WireNumber& number : numbers) is_known = is_known || number.field == name;
      if (!is_known || schema.field(name) == nullptr) has_gap_ = true;
    }
  }

  // Those whose paths are the same up to `depth`; what is deeper makes a message of its own.
  // NOLINTNEXTLINE(misc-no-recursion): paths have three parts at most
  void write_group(const ObjectSchema& schema, std::span<const WireNumber> numbers,
                   std::size_t depth, const Json& object, std::string& out) {
    while (!numbers.empty()) {
      const std::uint32_t field = numbers.front().path[depth];
      std::size_t count = 1;
      while (count < numbers.size() && numbers[count].path[depth] == field) ++count;
      if (numbers.front().path.size() == depth + 1) {
        write_field(schema, numbers.front(), field, object, out);
      } else {
        std::string inner;
        write_group(schema, numbers.first(count), depth + 1, object, inner);
        write_bytes(out, field, inner);
      }
      numbers = numbers.subspan(count);
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): see message()
  void write_field(const ObjectSchema& schema, const WireNumber& number, std::uint32_t field,
                   const Json& object, std::string& out) {
    static const Json nothing;
    const FieldSchema* form = schema.field(number.field);
    if (form == nullptr) return;
    const Json* found = find_at(object, {number.field});
    const bool is_there = found != nullptr && !found->is_null();
    const Json& value = is_there ? *found : nothing;
    if (form->shape == Shape::List) {
      for (const Json& each : value) write_one(*form, field, each, out);
    } else if (form->shape == Shape::Mapping) {
      for (const auto& [key, each] : value.items()) {
        std::string entry;
        write_bytes(entry, 1, key);
        write_one(*form, 2, each, entry);
        write_bytes(out, field, entry);
      }
    } else if (is_there || !number.is_pointer) {
      write_one(*form, field, value, out);
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): see message()
  void write_one(const FieldSchema& form, std::uint32_t field, const Json& value,
                 std::string& out) {
    switch (form.form) {
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
      case ValueForm::Any: {  // of our kinds only FieldsV1, which is JSON within
        std::string fields;
        write_bytes(fields, 1, to_text(value));
        return write_bytes(out, field, fields);
      }
      case ValueForm::Object:
        return write_bytes(out, field,
                           message(*form.object, value.is_null() ? Json::object() : value));
      case ValueForm::Number:
        has_gap_ = true;
    }
  }

  static std::string quantity_text(const Json& value) {
    return value.is_string() ? text_of(value) : to_text(value);
  }

  bool has_gap_ = false;
};

// The clause without its parameters and blanks.
std::string_view media_of(std::string_view clause) {
  clause = clause.substr(0, clause.find(';'));
  while (clause.starts_with(' ')) clause.remove_prefix(1);
  while (clause.ends_with(' ')) clause.remove_suffix(1);
  return clause;
}

}  // namespace

bool wants_protobuf(const ApiRequest& request) {
  const std::string accept = header(request, "accept");
  std::string_view rest = accept;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view clause = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::string_view media = media_of(clause);
    if (media == kProtobuf && clause.find("as=") == std::string_view::npos) return true;
    if (media == "application/json" || media == "*/*" || media == "application/*") return false;
  }
  return false;
}

std::optional<std::string> protobuf_item(const Kind& kind, const Json& object) {
  Writer writer;
  std::string message = writer.message(schema_of(kind), object);
  if (writer.has_gap()) return std::nullopt;
  return message;
}

std::optional<std::string> protobuf_list(const Kind& kind, const Json& list) {
  std::string metadata;
  write_bytes(metadata, 1, "");
  write_bytes(metadata, 2, text_at(list, {"metadata", "resourceVersion"}));
  write_bytes(metadata, 3, text_at(list, {"metadata", "continue"}));
  if (const auto left = integer_at(list, {"metadata", "remainingItemCount"})) {
    write_number(metadata, 4, *left);
  }
  std::string raw;
  write_bytes(raw, 1, metadata);
  for (const Json& object : list_at(list, {"items"})) {
    const auto item = protobuf_item(kind, object);
    if (!item) return std::nullopt;
    write_bytes(raw, 2, *item);
  }

  std::string type;
  write_bytes(type, 1, api_version_of(kind));
  write_bytes(type, 2, std::string(kind.name) + "List");
  std::string body{"k8s\0", 4};
  write_bytes(body, 1, type);
  write_bytes(body, 2, raw);
  write_bytes(body, 3, "");
  write_bytes(body, 4, "");
  return body;
}

}  // namespace elbowroom::lab
