#include "api/protobuf_object.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "api/json.h"
#include "api/timestamp.h"
#include "api/wire_fields.h"
#include "api/wire_tables.h"
#include "base/utf8.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxValues = 500'000;

std::unexpected<Error> broken() { return failure(Code::Invalid, "the protobuf is broken"); }

std::string clean_text(std::string_view bytes) {
  std::string clean;
  for (;;) {
    const std::size_t valid = first_invalid_utf8(bytes);
    clean += bytes.substr(0, valid);
    if (valid == bytes.size()) return clean;
    clean += "\xef\xbf\xbd";
    bytes.remove_prefix(valid + 1);
  }
}

// "" where it is the zero of Go's time.
Result<std::string> time_in(std::string_view message) {
  std::int64_t seconds = 0;
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() != 1) continue;
    if (fields.type() != WireType::Varint) return broken();
    seconds = static_cast<std::int64_t>(fields.value());
  }
  if (fields.is_broken()) return broken();
  if (message.empty()) return std::string();
  constexpr std::int64_t kEarliest = -62'167'219'200;  // the year 0
  constexpr std::int64_t kLatest = 253'402'300'799;    // the year 9999
  if (seconds < kEarliest || seconds > kLatest) {
    return failure(Code::Invalid, "a time is outside the years 0 to 9999");
  }
  return format_timestamp(policy::Time(std::chrono::seconds(seconds)));
}

Result<std::string> quantity_in(std::string_view message) {
  std::string text = "0";
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() != 1) continue;
    if (fields.type() != WireType::Bytes) return broken();
    text = clean_text(fields.bytes());
  }
  if (fields.is_broken()) return broken();
  return text;
}

// What every object comes in: runtime.Unknown.
struct Envelope {
  std::string_view version{};
  std::string_view kind{};
  std::string_view raw{};  // the object
};

// TypeMeta.
Result<void> read_type(std::string_view message, Envelope& envelope) {
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() > 2) continue;
    if (fields.type() != WireType::Bytes) return broken();
    (fields.number() == 1 ? envelope.version : envelope.kind) = fields.bytes();
  }
  return fields.is_broken() ? broken() : Result<void>();
}

Result<Envelope> opened(std::string_view body) {
  if (!body.starts_with(kProtobufMagic)) {
    return failure(Code::Invalid, "the body does not begin as Kubernetes' protobuf does");
  }
  Envelope envelope;
  WireFields fields(body.substr(kProtobufMagic.size()));
  while (fields.next()) {
    if (fields.number() > 2) continue;
    if (fields.type() != WireType::Bytes) return broken();
    if (fields.number() == 1) RETURN_IF_ERROR(read_type(fields.bytes(), envelope));
    if (fields.number() == 2) envelope.raw = fields.bytes();
  }
  if (fields.is_broken()) return broken();
  return envelope;
}

class Reader {
 public:
  // Puts the message's members into the map. As deep as kKinds is, whatever comes.
  // NOLINTNEXTLINE(misc-no-recursion): bounded by the tables, which have no circle
  Result<void> read(WireMessage message, std::string_view bytes, Value& map) {
    WireFields fields(bytes);
    while (fields.next()) {
      const auto member = std::ranges::find(message, fields.number(), &WireMember::number);
      if (member != message.end()) RETURN_IF_ERROR(take(*member, fields, map));
    }
    if (fields.is_broken()) return broken();
    for (const WireMember& member : message) {
      if (member.shape == Shape::Map) leave_last_of_each(map, member.key);
    }
    return {};
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): see read()
  Result<void> take(const WireMember& member, const WireFields& field, Value& map) {
    const bool is_number = member.form == Form::Integer || member.form == Form::Bool;
    const WireType wanted =
        is_number && member.shape == Shape::One ? WireType::Varint : WireType::Bytes;
    if (field.type() != wanted) return broken();
    if (++values_ > kMaxValues) {
      return failure(Code::Exhausted,
                     "the object has more than " + std::to_string(kMaxValues) + " values");
    }
    if (member.shape == Shape::Inlined) return read(member.message, field.bytes(), map);
    if (member.shape == Shape::Map) return take_entry(member, field.bytes(), place(map, member));
    if (member.shape == Shape::List) {
      Value& list = place(map, member);
      return fill(member, field, list.items.emplace_back());
    }
    if (member.form == Form::Message) return fill(member, field, place(map, member));
    Value value;
    RETURN_IF_ERROR(fill(member, field, value));
    // Of a field that comes twice the last one counts, an empty one too.
    if (value.kind == Value::Kind::Null) {
      drop_member(map, member.key);
    } else {
      set_member(map, member.key, std::move(value));
    }
    return {};
  }

  // NOLINTNEXTLINE(misc-no-recursion): see read()
  Result<void> fill(const WireMember& member, const WireFields& field, Value& value) {
    const bool keeps_zero = member.zero == Zero::IsValue || member.shape != Shape::One;
    switch (member.form) {
      case Form::Text:
        if (!field.bytes().empty() || keeps_zero) value = json_text(clean_text(field.bytes()));
        return {};
      case Form::Integer: {
        const auto number = static_cast<std::int64_t>(field.value());
        if (number != 0 || keeps_zero) value = json_number(number);
        return {};
      }
      case Form::Bool:
        if (field.value() != 0 || keeps_zero) value = json_bool(field.value() != 0);
        return {};
      case Form::Time:
        return fill_time(field.bytes(), value);
      case Form::Quantity: {
        ASSIGN_OR_RETURN(std::string text, quantity_in(field.bytes()));
        value = json_text(std::move(text));
        return {};
      }
      case Form::Message:
        value.kind = Value::Kind::Map;
        return read(member.message, field.bytes(), value);
    }
    return {};
  }

  static Result<void> fill_time(std::string_view message, Value& value) {
    ASSIGN_OR_RETURN(std::string text, time_in(message));
    if (!text.empty()) value = json_text(std::move(text));
    return {};
  }

  Result<void> take_entry(const WireMember& member, std::string_view entry, Value& map) {
    Member made;
    std::string_view value;
    WireFields fields(entry);
    while (fields.next()) {
      if (fields.number() > 2) continue;
      if (fields.type() != WireType::Bytes) return broken();
      if (fields.number() == 1) made.key = clean_text(fields.bytes());
      if (fields.number() == 2) value = fields.bytes();
    }
    if (fields.is_broken()) return broken();
    if (member.form == Form::Quantity) {
      ASSIGN_OR_RETURN(std::string text, quantity_in(value));
      made.value = json_text(std::move(text));
    } else if (member.form == Form::Time) {
      RETURN_IF_ERROR(fill_time(value, made.value));
    } else {
      made.value = json_text(clean_text(value));
    }
    map.members.push_back(std::move(made));
    return {};
  }

  // The member's value: a list, a mapping, or a message that comes in parts.
  static Value& place(Value& map, const WireMember& member) {
    const auto found = std::ranges::find(map.members, member.key, &Member::key);
    if (found != map.members.end()) return found->value;
    Value& made = map.members.emplace_back(Member{std::string(member.key), {}, {}}).value;
    made.kind = member.shape == Shape::List ? Value::Kind::List : Value::Kind::Map;
    return made;
  }

  // Of several entries of one key the last one counts.
  static void leave_last_of_each(Value& map, std::string_view key) {
    const auto found = std::ranges::find(map.members, key, &Member::key);
    if (found == map.members.end()) return;
    std::vector<Member>& entries = found->value.members;
    // As Go writes them: nothing is to be done.
    if (std::ranges::adjacent_find(entries, std::ranges::greater_equal{}, &Member::key) ==
        entries.end()) {
      return;
    }
    std::ranges::reverse(entries);
    std::ranges::stable_sort(entries, {}, &Member::key);
    const auto repeated = std::ranges::unique(entries, {}, &Member::key);
    entries.erase(repeated.begin(), repeated.end());
  }

  std::size_t values_ = 0;
};

}  // namespace

bool reads_protobuf(std::string_view kind) { return message_of(kind) != nullptr; }

Result<Value> protobuf_message(std::string_view kind, std::string_view message) {
  Value map = json_map({});
  RETURN_IF_ERROR(Reader().read(*message_of(kind), message, map));
  return map;
}

Result<Value> protobuf_object(std::string_view body) {
  ASSIGN_OR_RETURN(const Envelope envelope, opened(body));
  std::string kind = clean_text(envelope.kind);
  if (!reads_protobuf(kind)) {
    return failure(Code::Invalid,
                   "an object of kind \"" + kind.substr(0, 100) + "\" is not read in protobuf");
  }
  ASSIGN_OR_RETURN(Value object, protobuf_message(kind, envelope.raw));
  set_member(object, "kind", json_text(std::move(kind)));
  set_member(object, "apiVersion", json_text(clean_text(envelope.version)));
  return object;
}

}  // namespace elbowroom::api
