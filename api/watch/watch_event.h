// One event of a watch as it comes, in a line of JSON or in a frame of protobuf. Of either the same
// tree comes out, with what our decoders read (wire_tables.h).
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
  Value object{};      // a mapping with its kind; of "ERROR" a Status
};

// Of one that is longer, Exhausted. An object of 1.5 MiB, which is what etcd takes, is six times as
// much in JSON where every character of it is escaped.
inline constexpr std::size_t kMaxEventBytes = std::size_t{16} << 20;

// One object in JSON, of a list or of an event. `sieve`: what is read of it; without one all.
// Invalid: no JSON; nested more than 64 deep; more than 500,000 values.
[[nodiscard]] Result<Value> object_in_json(std::string_view text,
                                           const std::optional<WireFilter>& json_filter);

// The same, slower, where what the sieve leaves out is nested as deep as a server writes it.
[[nodiscard]] Result<Value> deep_object_in_json(std::string_view text,
                                                const WireFilter& json_filter);

// Of any kind the identity alone (Part::Identity), however deep and wide the rest is. Invalid: no
// JSON.
[[nodiscard]] Result<Value> identity_in_json(std::string_view text, std::string_view kind,
                                             WireFilter::Of of);

// The event that was read as a tree. Invalid: no object in it.
[[nodiscard]] Result<WatchEvent> event_in(Value told);

// `sieve` as above, of events. Invalid: no JSON, no object in it.
[[nodiscard]] Result<WatchEvent> event_in_json(std::string_view line,
                                               const std::optional<WireFilter>& json_filter);

// Source: meta/v1 WatchEvent, bare; the object in it stands in its envelope. Invalid: broken bytes,
// no object, an object of a kind that is not read (protobuf_object.h).
[[nodiscard]] Result<WatchEvent> event_in_protobuf(std::string_view frame,
                                                   const Reading& reading = {});

}  // namespace elbowroom::api
