#include "api/codec/protobuf_object.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "api/codec/wire_fields.h"
#include "api/codec/wire_tables.h"
#include "base/utf8.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxValues = 500'000;

std::unexpected<Error> broken() { return failure(Code::Invalid, "the protobuf is broken"); }

std::string clean_text(std::string_view bytes) {
  std::size_t valid = first_invalid_utf8(bytes);
  std::string clean(bytes.substr(0, valid));
  while (valid != bytes.size()) {
    clean += "\xef\xbf\xbd";
    bytes.remove_prefix(valid + 1);
    valid = first_invalid_utf8(bytes);
    clean += bytes.substr(0, valid);
  }
  return clean;
}

// "" for the zero of Go's time, and outside the years 0 to 9999.
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
  // Go reads some times with an offset and writes them as other times. They occur in managedFields,
  // which any client may fill in. Such times are not read from JSON either.
  if (seconds < kEarliest || seconds > kLatest) return std::string();
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

// The envelope of every object: runtime.Unknown.
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

// Go writes fields in the order of their numbers, so the search continues at the previous member.
const WireMember* member_of(WireMessage message, std::uint32_t number, const WireMember* from) {
  const auto found = std::find_if(from, message.end(),
                                  [&](const auto& member) { return member.number == number; });
  if (found != message.end()) return found;
  const auto before = std::find_if(message.begin(), from,
                                   [&](const auto& member) { return member.number == number; });
  return before != from ? before : nullptr;
}

class Reader {
 public:
  explicit Reader(ListOverflow* overflow) : overflow_(overflow) {}

  // Reads the message's members into the map, which is empty. The depth is bounded by kKinds,
  // whatever the input.
  Result<void> read(WireMessage message, std::string_view bytes, Value& map) {
    map.members.reserve(std::min(message.size, bytes.size() / 2));  // at least two bytes each
    return read_into(message, bytes, map, true);
  }

 private:
  // `is_fresh`: none of the members are in the map yet.
  // NOLINTNEXTLINE(misc-no-recursion): bounded by the tables, which have no circle
  Result<void> read_into(WireMessage message, std::string_view bytes, Value& map, bool is_fresh) {
    std::uint32_t highest = 0;
    bool has_mappings = false;
    const WireMember* from = message.begin();
    WireFields fields(bytes);
    while (fields.next()) {
      const WireMember* member = member_of(message, fields.number(), from);
      if (member == nullptr) {
        if (message.is_closed) RETURN_IF_ERROR(note_unknown(map));
        continue;
      }
      from = member;
      has_mappings = has_mappings || member->shape == Shape::Map;
      const bool is_new = is_fresh && member->number > highest;
      highest = std::max(highest, member->number);
      RETURN_IF_ERROR(take(*member, fields, map, is_new));
    }
    if (fields.is_broken()) return broken();
    if (!has_mappings) return {};
    for (const WireMember& member : message) {
      if (member.shape == Shape::Map) leave_last_of_each(map, member.key);
    }
    return {};
  }

  Result<void> note_unknown(Value& map) {
    if (map.find(kUnknownMember) != nullptr) return {};
    add(map, kUnknownMember).kind = Value::Kind::Map;
    return count();
  }

  // `is_new`: the map has no such member.
  // NOLINTNEXTLINE(misc-no-recursion): see read_into()
  Result<void> take(const WireMember& member, const WireFields& field, Value& map, bool is_new) {
    const bool is_number = member.form == Form::Integer || member.form == Form::Bool;
    const WireType wanted =
        is_number && member.shape == Shape::One ? WireType::Varint : WireType::Bytes;
    if (field.type() != wanted) return broken();
    const bool is_outermost = member.is_placement && overflow_ != nullptr && placement_ == nullptr;
    if (!is_outermost) return take_counted(member, field, map, is_new);
    placement_ = &overflow_->placement_left();
    auto taken = take_counted(member, field, map, is_new);
    placement_ = nullptr;
    return taken;
  }

  // NOLINTNEXTLINE(misc-no-recursion): see read_into()
  Result<void> take_counted(const WireMember& member, const WireFields& field, Value& map,
                            bool is_new) {
    if (member.shape == Shape::List || member.shape == Shape::Map) {
      if (placement_ != nullptr && *placement_ == 0) return {};
      Value& many = place(map, member, is_new);
      // As in JSON, the list itself counts, and so does each of its entries.
      if (entries_of(many) == 0 && !affords()) return {};
      const bool is_full = overflow_ != nullptr && entries_of(many) >= member.most;
      if (is_full && !member.hands_on) {
        overflow_->left_out(member.key);
        return {};
      }
      if (!affords()) return {};
      RETURN_IF_ERROR(count());
      if (member.shape == Shape::Map) return take_entry(member, field.bytes(), many);
      if (!is_full) return fill(member, field, many.items.emplace_back());
      Value item;
      RETURN_IF_ERROR(fill(member, field, item));
      overflow_->take(member.key, item);
      return {};
    }
    RETURN_IF_ERROR(count());
    if (member.shape != Shape::Inlined && !affords()) return {};
    if (member.shape == Shape::Inlined) {
      return read_into(member.message, field.bytes(), map, is_new);
    }
    if (member.form == Form::Message) return fill(member, field, place(map, member, is_new));
    // A field that occurs twice has its last value, even if that is empty.
    if (!is_new) drop_member(map, member.key);
    RETURN_IF_ERROR(fill(member, field, add(map, member.key)));
    if (map.members.back().value.kind == Value::Kind::Null) map.members.pop_back();
    return {};
  }

  // Limits placement terms; always true for everything else.
  bool affords() {
    if (placement_ == nullptr) return true;
    if (*placement_ == 0) return false;
    --*placement_;
    return true;
  }

  Result<void> count() {
    if (++values_ <= kMaxValues) return {};
    return failure(Code::Exhausted,
                   "the object has more than " + std::to_string(kMaxValues) + " values");
  }

  static std::size_t entries_of(const Value& many) {
    return many.items.size() + many.members.size();
  }

  // NOLINTNEXTLINE(misc-no-recursion): see read_into()
  Result<void> fill(const WireMember& member, const WireFields& field, Value& value) {
    const bool keeps_zero = member.zero == Zero::IsValue || member.shape != Shape::One;
    switch (member.form) {
      case Form::Text:
        if (!field.bytes().empty() || keeps_zero) set_text(value, clean_text(field.bytes()));
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
        set_text(value, std::move(text));
        return {};
      }
      case Form::Message:
        if (value.kind == Value::Kind::Map) {  // the message is split
          return read_into(member.message, field.bytes(), value, false);
        }
        value.kind = Value::Kind::Map;
        return read(member.message, field.bytes(), value);
    }
    return {};
  }

  static Result<void> fill_time(std::string_view message, Value& value) {
    ASSIGN_OR_RETURN(std::string text, time_in(message));
    if (!text.empty()) set_text(value, std::move(text));
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
      set_text(made.value, std::move(text));
    } else if (member.form == Form::Time) {
      RETURN_IF_ERROR(fill_time(value, made.value));
    } else {
      set_text(made.value, clean_text(value));
    }
    map.members.push_back(std::move(made));
    return {};
  }

  // The member's value: a list, a mapping, or a split message.
  static Value& place(Value& map, const WireMember& member, bool is_new) {
    if (!is_new) {
      const auto found = std::ranges::find(map.members, member.key, &Member::key);
      if (found != map.members.end()) return found->value;
    }
    Value& made = add(map, member.key);
    if (member.shape == Shape::List) made.kind = Value::Kind::List;
    if (member.shape == Shape::Map) made.kind = Value::Kind::Map;
    return made;
  }

  static void set_text(Value& value, std::string text) {
    value.kind = Value::Kind::String;
    value.text = std::move(text);
  }

  static Value& add(Value& map, std::string_view key) {
    return map.members.emplace_back(std::string(key), Position{}).value;
  }

  // Keeps the last of several entries with the same key.
  static void leave_last_of_each(Value& map, std::string_view key) {
    const auto found = std::ranges::find(map.members, key, &Member::key);
    if (found == map.members.end()) return;
    std::vector<Member>& entries = found->value.members;
    // Go's output is sorted and has no duplicates: nothing to do.
    if (std::ranges::adjacent_find(entries, std::ranges::greater_equal{}, &Member::key) ==
        entries.end()) {
      return;
    }
    std::ranges::reverse(entries);
    std::ranges::stable_sort(entries, {}, &Member::key);
    const auto repeated = std::ranges::unique(entries, {}, &Member::key);
    entries.erase(repeated.begin(), repeated.end());
  }

  ListOverflow* overflow_;
  std::size_t* placement_ = nullptr;  // the remaining budget, inside a placement term
  std::size_t values_ = 0;
};

// The bytes of the last field with that number; "" if there is none. Broken input gives any result,
// because the full decoding reports it.
std::string_view last_at(std::string_view message, std::uint32_t number) {
  std::string_view bytes;
  for (WireFields fields(message); fields.next();) {
    if (fields.number() == number) bytes = fields.bytes();
  }
  return bytes;
}

// Reads only the phase, which is at the end of a pod, before anything else is decoded.
bool has_finished(std::string_view pod) {
  constexpr std::uint32_t kStatus = 3;
  constexpr std::uint32_t kPhase = 1;
  const std::string_view phase = last_at(last_at(pod, kStatus), kPhase);
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

bool reads_protobuf(std::string_view kind) { return message_of(kind) != nullptr; }

Result<Value> protobuf_message(std::string_view kind, std::string_view message,
                               const Reading& reading) {
  Value map = json_map({});
  const bool is_over = reading.overflow != nullptr && kind == "Pod" && has_finished(message);
  const WireMessage* of =
      message_of(kind, is_over ? Part::Finished : reading.part, reading.version);
  RETURN_IF_ERROR(Reader(reading.overflow).read(*of, message, map));
  return map;
}

Result<Value> protobuf_object(std::string_view body, const Reading& reading) {
  ASSIGN_OR_RETURN(const Envelope envelope, opened(body));
  std::string kind = clean_text(envelope.kind);
  if (!reads_protobuf(kind)) {
    return failure(Code::Invalid,
                   "an object of kind \"" + kind.substr(0, 100) + "\" is not read in protobuf");
  }
  Reading as_told = reading;
  as_told.version = envelope.version.substr(envelope.version.rfind('/') + 1);
  ASSIGN_OR_RETURN(Value object, protobuf_message(kind, envelope.raw, as_told));
  set_member(object, "kind", json_text(std::move(kind)));
  set_member(object, "apiVersion", json_text(clean_text(envelope.version)));
  return object;
}

}  // namespace elbowroom::api
