// Follows one collection over a Transport and delivers its objects as parsed trees. list_watch.h
// decides the next request; this file only sends, splits and parses. watcher.h is the same with
// decoded objects.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/codec/wire_filter.h"
#include "api/transport/transport.h"
#include "api/watch/frames.h"
#include "api/watch/lines.h"
#include "api/watch/list_items.h"
#include "api/watch/list_watch.h"
#include "api/watch/protobuf_list.h"
#include "api/watch/watch_event.h"
#include "base/document.h"

namespace elbowroom::api {

struct WatchTarget {
  std::string path{};  // of the collection: "/api/v1/pods"
  std::string kind{};  // of its objects: "Pod"
  std::string field_selector{};
  std::string label_selector{};
  // Requests lists and watches in protobuf; a server may still answer in JSON. Requires
  // reads_protobuf(kind). In both encodings, objects contain only the fields that our decoders read
  // (wire_tables.h).
  bool by_protobuf = false;
  // How much of an object is read. With an overflow, which must outlive the loop, the tables'
  // bounds apply, and of a pod that has finished possibly only Part::Finished is read. Requires
  // by_protobuf.
  Part part = Part::Whole;
  ListOverflow* overflow = nullptr;
  // "v1alpha2"; needed only for kinds whose protobuf depends on it.
  std::string version{};
};

struct WatchLoopCallbacks {
  std::move_only_function<void()> list_begins{};         // drop what was listed so far
  std::move_only_function<void(const Value&)> listed{};  // has no kind and apiVersion
  std::move_only_function<void()> list_ends{};  // the listed objects are the whole collection
  std::move_only_function<void(const Value&)> upserted{};
  std::move_only_function<void(const Value&)> removed{};  // its last state
  // An object was listed or upserted of which only the identity is readable, and why. It exists,
  // and the list or watch continues. Without this callback, the list or watch ends.
  std::move_only_function<void(const Value&, const Error&)> unreadable{};
  // Called after each object: why no more objects can be kept; nothing: they can.
  std::move_only_function<std::optional<Error>()> is_too_much{};
  std::move_only_function<void(const Error&)> stale{};
  std::move_only_function<void()> fresh{};
};

// How well a collection is followed, for readiness and metrics.
struct Freshness {
  bool is_synced = false;     // a whole list has been delivered
  bool is_stale = false;      // waiting after a failure
  Clock::time_point heard{};  // the last list, event or bookmark
  std::uint64_t lists = 0;
  std::uint64_t protobuf_lists = 0;  // of these, answered in protobuf
  std::uint64_t watches = 0;
  std::uint64_t protobuf_watches = 0;  // of these, answered in protobuf
  std::uint64_t events = 0;            // including bookmarks
  std::uint64_t expired = 0;           // 410s
  std::uint64_t failures = 0;
  std::array<std::uint64_t, 6> events_by_type{};  // by EventType
  // Watches that ended without a 410: normally, midway, refused or malformed.
  std::uint64_t timeouts = 0;
  std::uint64_t cut = 0;
  std::uint64_t errors = 0;
};

class WatchLoop {
 public:
  // The transport must outlive the loop. Callbacks run in Transport::run_once() and must not
  // destroy the loop.
  WatchLoop(Transport& transport, WatchTarget target, ListWatchOptions options,
            WatchLoopCallbacks callbacks);
  WatchLoop(const WatchLoop&) = delete;
  WatchLoop& operator=(const WatchLoop&) = delete;

  // Starts with the first list. Call it once. The destructor ends the loop.
  void start();

  [[nodiscard]] const Freshness& freshness() const { return freshness_; }

 private:
  void feed(const ListWatchInput& input);
  void perform(const ListWatchAction& action);
  void fetch(const FetchPage& page);
  void open(const OpenWatch& watch);
  void take_list_chunk(std::string_view chunk);
  void end_list(Result<Response> outcome);
  [[nodiscard]] Result<Value> list_head() const;
  void take_watch_chunk(std::string_view chunk);
  void end_watch(Result<Response> outcome);
  [[nodiscard]] std::chrono::milliseconds longest_silence() const;
  [[nodiscard]] std::chrono::milliseconds silence_allowed() const;
  void listen_for(std::chrono::milliseconds silence);
  void end_silence();
  [[nodiscard]] bool take_item(std::string_view text);
  [[nodiscard]] bool take_message(std::string_view message);
  void take_item(const Value& item);
  [[nodiscard]] bool take_unreadable_item(const Result<Value>& identity, const Error& why);
  [[nodiscard]] bool goes_on();
  [[nodiscard]] bool take_event(std::string_view text);
  [[nodiscard]] std::optional<Value> finished_in(
      std::string_view text, const std::optional<WireFilter>& json_filter) const;
  [[nodiscard]] Result<WatchEvent> told_in(std::string_view text) const;
  [[nodiscard]] Result<WatchEvent> identity_in(std::string_view text, const Error& why) const;
  [[nodiscard]] Reading reading() const;
  void begin_object() const;
  void take_event(std::string_view type, const Value& object, const Error* odd = nullptr);
  void ask_for_json();
  void break_watch(const Error& error);
  void refuse_list(bool wants_json);
  [[nodiscard]] ListLimits limits() const;
  [[nodiscard]] Request request_for(Query query) const;
  [[nodiscard]] bool is_protobuf(const Response& response) const;

  Transport& transport_;
  WatchTarget target_;
  WatchLoopCallbacks callbacks_;
  const ListWatchOptions options_;
  std::optional<WireFilter> items_filter_;
  std::optional<WireFilter> events_filter_;
  std::optional<WireFilter> finished_items_;  // for large texts, tried first
  std::optional<WireFilter> finished_events_;
  ListWatch machine_;
  Freshness freshness_;
  ListItems items_;
  std::optional<ProtobufList> protobuf_;  // if the current list is in protobuf
  bool speaks_json_only_ = false;         // the server refused protobuf
  Clock::time_point json_until_{};        // after malformed protobuf
  bool sends_frames_ = false;             // the watch is in protobuf
  Lines lines_;
  Frames frames_;
  std::optional<Error> list_error_;
  bool is_full_ = false;        // the list failed because no more objects can be kept
  std::size_t list_bytes_ = 0;  // of the pages before this one
  std::size_t page_bytes_ = 0;  // of this page so far
  std::size_t page_items_ = 0;
  bool is_open_ = false;           // the watch was answered with a success
  bool has_bookmarks_ = false;     // the server sends bookmarks
  bool had_bookmark_ = false;      // ... in this watch
  Clock::time_point last_byte_{};  // of this watch, or the time of the request
  // The last byte of an event, where this watch replaces silent ones.
  std::optional<Clock::time_point> silent_since_{};
  const Value* object_ = nullptr;  // of the current event
  const Error* odd_ = nullptr;     // why only its identity is readable
  std::uint64_t asked_ = 0;        // counts requests, to detect callbacks of an earlier stream
  Ticket silence_;                 // the timer for a silent watch
  Ticket ticket_;                  // of the stream or the wait; last, so it is destroyed first
};

}  // namespace elbowroom::api
