// One watch event as received: a line of JSON or a frame of protobuf. Both give the same tree, with
// the fields that our decoders read (wire_tables.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/codec/protobuf_object.h"
#include "api/codec/wire_filter.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

struct WatchEvent {
  std::string type{};  // "ADDED"
  Value object{};      // a mapping including its kind; for "ERROR" a Status
};

// Longer events are Exhausted. An object of 1.5 MiB, etcd's limit, is six times as large in JSON if
// every character is escaped.
inline constexpr std::size_t kMaxEventBytes = std::size_t{16} << 20;

// Parses one object in JSON, from a list or an event. `json_filter`: what is read; without it,
// everything. Invalid: not JSON; nested more than 64 deep; more than 500,000 values.
[[nodiscard]] Result<Value> object_in_json(std::string_view text,
                                           const std::optional<WireFilter>& json_filter);

// The same, but slower. What the filter leaves out may be nested as deep as a server writes it.
[[nodiscard]] Result<Value> deep_object_in_json(std::string_view text,
                                                const WireFilter& json_filter);

// Only the identity (Part::Identity), for any kind, however deep and wide the rest is. Invalid: not
// JSON.
[[nodiscard]] Result<Value> identity_in_json(std::string_view text, std::string_view kind,
                                             WireFilter::Of of);

// Converts a tree to an event. Invalid: it contains no object.
[[nodiscard]] Result<WatchEvent> event_in(Value told);

// `json_filter` as above, for events. Invalid: not JSON, or no object in it.
[[nodiscard]] Result<WatchEvent> event_in_json(std::string_view line,
                                               const std::optional<WireFilter>& json_filter);

// Source: meta/v1 WatchEvent, without an envelope; the object in it has one. Invalid: broken bytes,
// no object, an object of a kind that is not read (protobuf_object.h).
[[nodiscard]] Result<WatchEvent> event_in_protobuf(std::string_view frame,
                                                   const Reading& reading = {});

}  // namespace elbowroom::api
