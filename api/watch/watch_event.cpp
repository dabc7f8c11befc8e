#include "api/watch/watch_event.h"

#include <algorithm>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "api/codec/wire_fields.h"

namespace elbowroom::api {
namespace {

constexpr DocumentLimits kObjectLimits{.bytes = kMaxEventBytes, .depth = 64, .values = 500'000};

constexpr std::uint32_t kType = 1;
constexpr std::uint32_t kObject = 2;
constexpr std::uint32_t kRaw = 1;  // of the object: runtime.RawExtension

std::unexpected<Error> without_object() { return failure(Code::Invalid, "an event has no object"); }

// The bytes of the last field with that number; "" if there is none.
Result<std::string_view> bytes_at(std::string_view message, std::uint32_t number) {
  std::string_view bytes;
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() != number) continue;
    if (fields.type() != WireType::Bytes) {
      return failure(Code::Invalid, "the event's protobuf is broken");
    }
    bytes = fields.bytes();
  }
  if (fields.is_broken()) return failure(Code::Invalid, "the event's protobuf is broken");
  return bytes;
}

}  // namespace

Result<Value> object_in_json(std::string_view text, const std::optional<WireFilter>& json_filter) {
  return json_filter ? parse_json(text, kObjectLimits, *json_filter)
                     : parse_json(text, kObjectLimits);
}

Result<Value> deep_object_in_json(std::string_view text, const WireFilter& json_filter) {
  return parse_deep_json(text, kObjectLimits, json_filter);
}

Result<Value> identity_in_json(std::string_view text, std::string_view kind, WireFilter::Of of) {
  return deep_object_in_json(text, WireFilter(kind, of, Part::Identity));
}

Result<WatchEvent> event_in_json(std::string_view line,
                                 const std::optional<WireFilter>& json_filter) {
  ASSIGN_OR_RETURN(Value told, object_in_json(line, json_filter));
  return event_in(std::move(told));
}

Result<WatchEvent> event_in(Value told) {
  const auto member = std::ranges::find(told.members, "object", &Member::key);
  if (member == told.members.end() || member->value.kind != Value::Kind::Map) {
    return without_object();
  }
  return WatchEvent{std::string(text_at(told, "type")), std::move(member->value)};
}

Result<WatchEvent> event_in_protobuf(std::string_view frame, const Reading& reading) {
  ASSIGN_OR_RETURN(const std::string_view type, bytes_at(frame, kType));
  ASSIGN_OR_RETURN(const std::string_view extension, bytes_at(frame, kObject));
  ASSIGN_OR_RETURN(const std::string_view body, bytes_at(extension, kRaw));
  if (body.empty()) return without_object();
  ASSIGN_OR_RETURN(Value object, protobuf_object(body, reading));
  return WatchEvent{std::string(type), std::move(object)};
}

}  // namespace elbowroom::api
