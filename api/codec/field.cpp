#include "api/codec/field.h"

#include <algorithm>
#include <charconv>

#include "api/codec/quantity.h"
#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kShownBytes = 100;

std::string shortened(std::string_view text) {
  if (text.size() <= kShownBytes) return std::string(text);
  return std::string(text.substr(0, kShownBytes)) + "...";
}

std::string_view name_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::Null:
      return "null";
    case Value::Kind::Bool:
      return "a boolean";
    case Value::Kind::Number:
      return "a number";
    case Value::Kind::String:
      return "a string";
    case Value::Kind::List:
      return "a list";
    case Value::Kind::Map:
      return "a mapping";
  }
  return "null";
}

std::string unlike(std::string_view wanted, const Value& value) {
  return "expected " + std::string(wanted) + ", found " + std::string(name_of(value.kind));
}

}  // namespace

std::string Field::path() const {
  std::string prefix = parent_ == nullptr ? "" : parent_->path();
  if (index_) return prefix + "[" + std::to_string(*index_) + "]";
  if (!prefix.empty() && !key_.empty()) prefix += ".";
  return prefix + shortened(key_);
}

std::unexpected<Error> Field::refuse(std::string_view why) const {
  std::string message = path();
  if (!message.empty()) message += ": ";
  message += why;
  if (value_ != nullptr && value_->at.line > 1) {
    message += " (line " + std::to_string(value_->at.line) + ")";
  }
  return failure(Code::Invalid, std::move(message));
}

std::unexpected<Error> Field::refuse(std::string_view key, std::string_view why) const {
  const Value* value = value_ == nullptr ? nullptr : value_->find(key);
  return Field(this, value == nullptr ? value_ : value, key).refuse(why);
}

Result<Field> Field::get(std::string_view key) const {
  if (!present()) return Field(this, nullptr, key);
  if (value_->kind != Value::Kind::Map) return refuse(unlike("a mapping", *value_));
  const Value* value = value_->find(key);
  const bool null = value == nullptr || value->kind == Value::Kind::Null;
  return Field(this, null ? nullptr : value, key);
}

Result<std::string> Field::as_text() const {
  if (!present()) return std::string();
  if (value_->kind != Value::Kind::String)
    return refuse(unlike("a string", *value_) + ": quote it");
  return value_->text;
}

Result<std::string> Field::text(std::string_view key) const {
  ASSIGN_OR_RETURN(const Field field, get(key));
  return field.as_text();
}

Result<std::int64_t> Field::as_integer(std::int64_t least, std::int64_t most) const {
  if (value_->kind != Value::Kind::Number) return refuse(unlike("an integer", *value_));
  const std::string& text = value_->text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    return refuse(shortened(text) + (text[0] == '-' ? " is below -2^63" : " is above 2^63-1"));
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return refuse(shortened(text) + " is no 64-bit integer");
  }
  if (number < least || number > most) {
    return refuse(text + " is outside " + std::to_string(least) + ".." + std::to_string(most));
  }
  return number;
}

Result<std::optional<std::int64_t>> Field::integer(std::string_view key, std::int64_t least,
                                                   std::int64_t most) const {
  ASSIGN_OR_RETURN(const Field field, get(key));
  if (!field.present()) return std::nullopt;
  ASSIGN_OR_RETURN(const std::int64_t number, field.as_integer(least, most));
  return number;
}

Result<bool> Field::boolean(std::string_view key) const {
  ASSIGN_OR_RETURN(const Field field, get(key));
  if (!field.present()) return false;
  if (field.value().kind != Value::Kind::Bool) {
    return field.refuse(unlike("true or false", field.value()));
  }
  return field.value().text == "true";
}

Result<std::optional<policy::Time>> Field::time(std::string_view key) const {
  ASSIGN_OR_RETURN(const Field field, get(key));
  if (!field.present()) return std::nullopt;
  ASSIGN_OR_RETURN(const std::string text, field.as_text());
  const Result<policy::Time> time = parse_timestamp(text);
  if (!time) return field.refuse(time.error().message);
  return *time;
}

Result<std::map<std::string, std::string, std::less<>>> Field::labels(std::string_view key) const {
  ASSIGN_OR_RETURN(const Field field, get(key));
  std::map<std::string, std::string, std::less<>> labels;
  if (!field.present()) return labels;
  if (field.value().kind != Value::Kind::Map) {
    return field.refuse(unlike("a mapping", field.value()));
  }
  for (const Member& member : field.value().members) {
    if (member.value.kind == Value::Kind::Null) {
      labels.emplace(member.key, "");
      continue;
    }
    ASSIGN_OR_RETURN(std::string text, field.child(member).as_text());
    labels.emplace(member.key, std::move(text));
  }
  return labels;
}

Result<std::vector<std::string>> Field::texts(std::string_view key) const {
  ASSIGN_OR_RETURN(const Field field, get(key));
  ASSIGN_OR_RETURN(const std::size_t count, field.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(std::string text, field.item(i).as_text());
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::int64_t> Field::as_quantity(std::string_view resource) const {
  if (value_->kind != Value::Kind::String && value_->kind != Value::Kind::Number) {
    return refuse(unlike("a quantity such as 2, 1500m or 2Gi", *value_));
  }
  const Result<std::int64_t> amount = parse_quantity(value_->text, unit_of(resource));
  if (amount) return *amount;
  if (is_served() && amount.error().code == Code::Exhausted) return policy::kMaxAmount;
  return refuse(amount.error().message);
}

Result<std::optional<policy::Resources>> Field::resources(std::string_view key) const {
  ASSIGN_OR_RETURN(const Field field, get(key));
  if (!field.present()) return std::nullopt;
  if (field.value().kind != Value::Kind::Map) {
    return field.refuse(unlike("a mapping", field.value()));
  }
  policy::Resources amounts;
  for (const Member& member : field.value().members) {
    if (member.value.kind == Value::Kind::Null) continue;
    ASSIGN_OR_RETURN(const std::int64_t amount, field.child(member).as_quantity(member.key));
    if (member.key != "pods") policy::set_amount(amounts, member.key, amount);
  }
  return amounts;
}

Result<std::size_t> Field::size() const {
  if (!present()) return std::size_t{0};
  if (value_->kind != Value::Kind::List) return refuse(unlike("a list", *value_));
  return value_->items.size();
}

Field Field::item(std::size_t index) const {
  const Value& value = value_->items[index];
  return {this, value.kind == Value::Kind::Null ? nullptr : &value, index};
}

}  // namespace elbowroom::api
