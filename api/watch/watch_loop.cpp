#include "api/watch/watch_loop.h"

#include <algorithm>
#include <utility>

#include "api/codec/bound_node.h"
#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/codec/protobuf_object.h"
#include "api/watch/watch_event.h"

namespace elbowroom::api {
namespace {

constexpr std::chrono::milliseconds kListDeadline{60'000};
constexpr std::chrono::seconds kWatchSlack{30};
constexpr std::size_t kLargeText = std::size_t{64} << 10;
// After this time, malformed protobuf may be gone.
constexpr std::chrono::minutes kAsksForJson{60};

EventType type_of(std::string_view name) {
  if (name == "ADDED") return EventType::Added;
  if (name == "MODIFIED") return EventType::Modified;
  if (name == "DELETED") return EventType::Deleted;
  if (name == "BOOKMARK") return EventType::Bookmark;
  if (name == "ERROR") return EventType::Error;
  return EventType::Unknown;
}

ListWatchFailure failure_of(const Result<Response>& outcome) {
  if (!outcome) {
    const bool is_passing = outcome.error().code == Code::Unavailable;
    return {is_passing ? FailureKind::Unreachable : FailureKind::Other, outcome.error()};
  }
  return failure_from(status_from(*outcome, Method::Get));
}

}  // namespace

WatchLoop::WatchLoop(Transport& transport, WatchTarget target, ListWatchOptions options,
                     WatchLoopCallbacks callbacks)
    : transport_(transport),
      target_(std::move(target)),
      callbacks_(std::move(callbacks)),
      options_(options),
      machine_(options),
      lines_(kMaxEventBytes),
      frames_(kMaxEventBytes) {
  if (!target_.by_protobuf || !reads_protobuf(target_.kind)) return;
  items_filter_.emplace(target_.kind, WireFilter::Of::Object, target_.part, target_.overflow,
                        target_.version);
  events_filter_.emplace(target_.kind, WireFilter::Of::Event, target_.part, target_.overflow,
                         target_.version);
  if (target_.overflow == nullptr || target_.kind != "Pod") return;
  finished_items_.emplace(target_.kind, WireFilter::Of::Object, Part::Finished, target_.overflow);
  finished_events_.emplace(target_.kind, WireFilter::Of::Event, Part::Finished, target_.overflow);
}

void WatchLoop::start() { feed(Begin{}); }

void WatchLoop::feed(const ListWatchInput& input) {
  for (const ListWatchAction& action : machine_.handle(input, transport_.now())) perform(action);
}

void WatchLoop::perform(const ListWatchAction& action) {
  if (const auto* page = std::get_if<FetchPage>(&action)) {
    fetch(*page);
  } else if (const auto* watch = std::get_if<OpenWatch>(&action)) {
    open(*watch);
  } else if (const auto* pause = std::get_if<Wait>(&action)) {
    ++asked_;
    ticket_ = transport_.after(pause->delay, [this] { feed(WaitOver{}); });
  } else if (std::get_if<DeliverList>(&action) != nullptr) {
    freshness_.is_synced = true;
    freshness_.is_stale = false;
    if (callbacks_.list_ends) callbacks_.list_ends();
  } else if (std::get_if<DeliverUpsert>(&action) != nullptr) {
    if (odd_ != nullptr) {
      callbacks_.unreadable(*object_, *odd_);
    } else if (callbacks_.upserted) {
      callbacks_.upserted(*object_);
    }
  } else if (std::get_if<DeliverRemoval>(&action) != nullptr) {
    if (callbacks_.removed) callbacks_.removed(*object_);
  } else if (const auto* stale = std::get_if<ReportStale>(&action)) {
    ++freshness_.failures;
    freshness_.is_stale = true;
    if (callbacks_.stale) callbacks_.stale(stale->error);
  } else {
    freshness_.is_stale = false;
    if (callbacks_.fresh) callbacks_.fresh();
  }
}

Request WatchLoop::request_for(Query query) const {
  Request request;
  request.path = target_.path;
  request.query = std::move(query);
  if (!target_.field_selector.empty()) {
    request.query.emplace_back("fieldSelector", target_.field_selector);
  }
  if (!target_.label_selector.empty()) {
    request.query.emplace_back("labelSelector", target_.label_selector);
  }
  if (target_.by_protobuf && !speaks_json_only_ && transport_.now() >= json_until_) {
    request.accept = kReadsProtobuf;
  }
  return request;
}

bool WatchLoop::is_protobuf(const Response& response) const {
  return target_.by_protobuf && response.content_type == kProtobuf;
}

void WatchLoop::fetch(const FetchPage& page) {
  ++asked_;
  ++freshness_.lists;
  if (page.is_first && callbacks_.list_begins) callbacks_.list_begins();
  list_bytes_ = page.is_first ? 0 : list_bytes_ + page_bytes_;
  page_bytes_ = page_items_ = 0;
  items_ = ListItems(limits());
  protobuf_.reset();
  list_error_.reset();
  is_full_ = false;

  Query query;
  if (!page.resource_version.empty()) query.emplace_back("resourceVersion", page.resource_version);
  if (page.limit > 0) query.emplace_back("limit", std::to_string(page.limit));
  if (!page.continue_token.empty()) query.emplace_back("continue", page.continue_token);
  Request request = request_for(std::move(query));
  request.deadline = kListDeadline;

  StreamCallbacks callbacks;
  callbacks.opened = [this](const Response& response) {
    if (!is_protobuf(response)) return;
    protobuf_.emplace(target_.kind, limits());
    ++freshness_.protobuf_lists;
  };
  callbacks.chunk = [this](std::string_view chunk) { take_list_chunk(chunk); };
  callbacks.done = [this](Result<Response> outcome) { end_list(std::move(outcome)); };
  ticket_ = transport_.stream(std::move(request), std::move(callbacks));
}

// All pages of a list share one limit.
ListLimits WatchLoop::limits() const {
  ListLimits limits;
  limits.item_bytes = kMaxEventBytes;
  limits.bytes = options_.most_list_bytes;
  limits.before = list_bytes_;
  return limits;
}

void WatchLoop::take_list_chunk(std::string_view chunk) {
  page_bytes_ += chunk.size();
  const auto fed =
      protobuf_
          ? protobuf_->feed(chunk, [this](std::string_view item) { return take_message(item); })
          : items_.feed(chunk, [this](std::string_view text) { return take_item(text); });
  if (!fed && !list_error_) list_error_ = fed.error();
  if (list_error_) refuse_list(protobuf_ && !is_full_);
}

// What exceeds a limit in one encoding exceeds it in the other.
void WatchLoop::refuse_list(bool wants_json) {
  if (wants_json && list_error_->code != Code::Exhausted) ask_for_json();
  ListFailed failed{{FailureKind::Other, list_error_->with("list " + target_.path)}};
  failed.page_bytes = page_bytes_;
  feed(failed);
}

void WatchLoop::ask_for_json() { json_until_ = transport_.now() + kAsksForJson; }

Reading WatchLoop::reading() const { return {target_.part, target_.overflow, target_.version}; }

void WatchLoop::begin_object() const {
  if (target_.overflow != nullptr) target_.overflow->begins();
}

// In JSON the phase comes after everything else. So a large pod is first read like a finished one,
// and read again only if it has not finished.
std::optional<Value> WatchLoop::finished_in(std::string_view text,
                                            const std::optional<WireFilter>& json_filter) const {
  if (!json_filter || text.size() < kLargeText) return std::nullopt;
  begin_object();
  auto read = object_in_json(text, json_filter);
  if (!read) return std::nullopt;
  const Value* object = &json_filter == &finished_events_ ? read->find("object") : &*read;
  if (object == nullptr || !has_finished(*object)) return std::nullopt;
  return *std::move(read);
}

bool WatchLoop::take_item(std::string_view text) {
  if (const auto finished = finished_in(text, finished_items_)) {
    take_item(*finished);
    return goes_on();
  }
  begin_object();
  Result<Value> item = object_in_json(text, items_filter_);
  if (!item && items_filter_) {
    begin_object();
    item = deep_object_in_json(text, *items_filter_);
  }
  if (!item) {
    return take_unreadable_item(identity_in_json(text, target_.kind, WireFilter::Of::Object),
                                item.error());
  }
  take_item(*item);
  return goes_on();
}

bool WatchLoop::take_message(std::string_view message) {
  begin_object();
  const auto item = protobuf_message(target_.kind, message, reading());
  if (!item) {
    return take_unreadable_item(protobuf_message(target_.kind, message, {Part::Identity}),
                                item.error());
  }
  take_item(*item);
  return goes_on();
}

void WatchLoop::take_item(const Value& item) {
  ++page_items_;
  if (callbacks_.listed) callbacks_.listed(item);
}

// An item without a name cannot be reported: it is not an object, so the response is not a list.
bool WatchLoop::take_unreadable_item(const Result<Value>& identity, const Error& why) {
  const bool may_be_json = protobuf_ && why.code != Code::Exhausted;
  if (may_be_json || !callbacks_.unreadable || !identity || ref_of(*identity).name.empty()) {
    list_error_ = why.with("an item");
    return false;
  }
  ++page_items_;
  callbacks_.unreadable(*identity, why);
  return goes_on();
}

// Whether there is room for what was just received.
bool WatchLoop::goes_on() {
  if (auto too_much = callbacks_.is_too_much ? callbacks_.is_too_much() : std::nullopt) {
    list_error_ = std::move(too_much);
    is_full_ = true;
    return false;
  }
  return true;
}

void WatchLoop::end_list(Result<Response> outcome) {
  if (!outcome || !is_success(*outcome)) {
    ListWatchFailure failure = failure_of(outcome);
    if (failure.kind == FailureKind::Expired) ++freshness_.expired;
    if (outcome && outcome->status == 406) speaks_json_only_ = true;
    failure.error = failure.error.with("list " + target_.path);
    feed(ListFailed{std::move(failure), page_bytes_});
    return;
  }
  const auto head = list_head();
  if (!head) {
    if (protobuf_) ask_for_json();
    feed(ListFailed{{FailureKind::Other, head.error().with("list " + target_.path)}});
    return;
  }
  // A success whose body is a Status with a failure; servers should not send it, but proxies do.
  if (text_at(*head, "kind") == "Status") {
    feed(ListFailed{failure_from(status_from(*head))});
    return;
  }
  freshness_.heard = transport_.now();
  PageArrived page;
  page.bytes = page_bytes_;
  page.items = page_items_;
  if (const Value* metadata = head->find("metadata"); metadata != nullptr) {
    page.resource_version = text_at(*metadata, "resourceVersion");
    page.continue_token = text_at(*metadata, "continue");
    page.is_partial = metadata->find("shardInfo") != nullptr;
  }
  feed(page);
}

Result<Value> WatchLoop::list_head() const {
  if (protobuf_) return protobuf_->head();
  ASSIGN_OR_RETURN(const std::string text, items_.head());
  return object_in_json(text, std::nullopt);
}

void WatchLoop::open(const OpenWatch& watch) {
  ++asked_;
  ++freshness_.watches;
  is_open_ = had_bookmark_ = false;
  last_byte_ = transport_.now();
  sends_frames_ = false;
  lines_ = Lines(kMaxEventBytes);
  frames_ = Frames(kMaxEventBytes);

  Request request = request_for({{"watch", "true"},
                                 {"resourceVersion", watch.resource_version},
                                 {"allowWatchBookmarks", "true"},
                                 {"timeoutSeconds", std::to_string(watch.timeout.count())}});
  request.lane = Lane::Unlimited;
  request.deadline = watch.timeout + kWatchSlack;

  StreamCallbacks callbacks;
  callbacks.opened = [this](const Response& response) {
    is_open_ = true;
    sends_frames_ = is_protobuf(response);
    if (sends_frames_) ++freshness_.protobuf_watches;
    last_byte_ = transport_.now();
    listen_for(silence_allowed());
    feed(WatchOpened{});
  };
  callbacks.chunk = [this](std::string_view chunk) { take_watch_chunk(chunk); };
  callbacks.event = [this](std::string_view type, const Value& object) {
    last_byte_ = transport_.now();
    silent_since_.reset();
    begin_object();
    take_event(type, object);
  };
  callbacks.done = [this](Result<Response> outcome) { end_watch(std::move(outcome)); };
  ticket_ = transport_.stream(std::move(request), std::move(callbacks));
  listen_for(options_.longest_head);
}

std::chrono::milliseconds WatchLoop::longest_silence() const {
  return has_bookmarks_
             ? std::min(options_.longest_silence, options_.longest_silence_with_bookmarks)
             : options_.longest_silence;
}

// Of this watch. The watches that it replaces have had a part of the whole.
std::chrono::milliseconds WatchLoop::silence_allowed() const {
  if (!is_open_) return options_.longest_head;
  const auto had = last_byte_ - silent_since_.value_or(last_byte_);
  const auto left = longest_silence() - std::chrono::floor<std::chrono::milliseconds>(had);
  return std::clamp(left, std::chrono::milliseconds(0), options_.renewed_after);
}

// One timer at a time, whatever arrives meanwhile. When it fires, it checks the time of the last
// byte.
void WatchLoop::listen_for(std::chrono::milliseconds silence) {
  const Clock::duration left = last_byte_ + silence - transport_.now();
  silence_ = transport_.after(std::max(left, Clock::duration::zero()), [this, asked = asked_] {
    if (asked == asked_) end_silence();
  });
}

// After the whole time a failure, not a normal end: a server that hangs is also silent.
void WatchLoop::end_silence() {
  const std::chrono::milliseconds limit = silence_allowed();
  if (transport_.now() - last_byte_ < limit) return listen_for(limit);
  const Clock::time_point since = is_open_ ? silent_since_.value_or(last_byte_) : last_byte_;
  if (is_open_ && transport_.now() - since < longest_silence()) {
    silent_since_ = since;
    return feed(WatchEnded{});
  }
  const auto silence = std::chrono::floor<std::chrono::milliseconds>(transport_.now() - since);
  silent_since_.reset();
  // If the server's bookmarks have stopped, the longer limit applies again.
  if (is_open_) has_bookmarks_ = had_bookmark_;
  ++(is_open_ ? freshness_.cut : freshness_.errors);
  Error error{Code::Unavailable, "nothing came for " + std::to_string(silence.count()) + " ms", {}};
  feed(WatchFailed{{FailureKind::Unreachable, error.with("watch " + target_.path)}});
}

void WatchLoop::take_watch_chunk(std::string_view chunk) {
  last_byte_ = transport_.now();
  silent_since_.reset();
  const std::uint64_t asked = asked_;
  const auto take = [this, asked](std::string_view text) {
    // An event can end this watch. What follows it in the chunk is ignored.
    return take_event(text) && asked == asked_;
  };
  const auto fed = sends_frames_ ? frames_.feed(chunk, take) : lines_.feed(chunk, take);
  if (!fed && asked == asked_) break_watch(fed.error());
}

Result<WatchEvent> WatchLoop::told_in(std::string_view text) const {
  if (!sends_frames_) {
    if (auto finished = finished_in(text, finished_events_)) return event_in(*std::move(finished));
  }
  begin_object();
  if (sends_frames_) return event_in_protobuf(text, reading());
  auto told = event_in_json(text, events_filter_);
  if (told || !events_filter_) return told;
  begin_object();
  ASSIGN_OR_RETURN(Value deep, deep_object_in_json(text, *events_filter_));
  return event_in(std::move(deep));
}

// Invalid: as with an item of a list, it breaks the watch.
Result<WatchEvent> WatchLoop::identity_in(std::string_view text, const Error& why) const {
  const bool may_be_json = sends_frames_ && why.code != Code::Exhausted;
  if (may_be_json || !callbacks_.unreadable) return std::unexpected(why);
  Result<WatchEvent> told = std::unexpected(why);
  if (sends_frames_) {
    told = event_in_protobuf(text, {Part::Identity});
  } else if (auto event = identity_in_json(text, target_.kind, WireFilter::Of::Event)) {
    told = event_in(*std::move(event));
  }
  const bool has_name = told && !ref_of(told->object).name.empty();
  return has_name ? std::move(told) : Result<WatchEvent>(std::unexpected(why));
}

bool WatchLoop::take_event(std::string_view text) {
  const auto told = told_in(text);
  if (told) {
    take_event(told->type, told->object);
    return true;
  }
  const auto odd = identity_in(text, told.error());
  if (odd) {
    take_event(odd->type, odd->object, &told.error());
    return true;
  }
  break_watch(told.error());
  return false;
}

void WatchLoop::take_event(std::string_view type, const Value& object, const Error* odd) {
  EventArrived event;
  event.type = type_of(type);
  object_ = &object;
  odd_ = odd;
  freshness_.heard = transport_.now();
  ++freshness_.events;
  ++freshness_.events_by_type.at(std::to_underlying(event.type));
  if (event.type == EventType::Bookmark && !had_bookmark_) {
    had_bookmark_ = has_bookmarks_ = true;
    listen_for(silence_allowed());
  }
  if (event.type == EventType::Error) {
    event.failure = failure_from(status_from(object));
    ++(event.failure.kind == FailureKind::Expired ? freshness_.expired : freshness_.errors);
    event.failure.error = event.failure.error.with("watch " + target_.path);
  } else {
    const std::string_view kind = text_at(object, "kind");
    event.is_expected_kind = kind.empty() || kind == target_.kind;
    if (const Value* metadata = object.find("metadata"); metadata != nullptr) {
      event.resource_version = text_at(*metadata, "resourceVersion");
    }
  }
  const std::uint64_t asked = asked_;
  feed(event);
  object_ = nullptr;
  odd_ = nullptr;
  if (asked != asked_ || !callbacks_.is_too_much) return;
  if (const auto too_much = callbacks_.is_too_much()) {
    ++freshness_.errors;
    feed(WatchFailed{{FailureKind::Other, too_much->with("watch " + target_.path)}});
  }
}

// What is malformed in protobuf may be valid in JSON.
void WatchLoop::break_watch(const Error& error) {
  ++freshness_.errors;
  if (sends_frames_) ask_for_json();
  feed(WatchFailed{{FailureKind::Other, error.with("watch " + target_.path)}});
}

void WatchLoop::end_watch(Result<Response> outcome) {
  const bool has_failed = !outcome || !is_success(*outcome);
  silent_since_.reset();  // a server that ends a watch does not hang
  if (!has_failed || is_open_) {
    ++(has_failed ? freshness_.cut : freshness_.timeouts);
    feed(WatchEnded{});
    return;
  }
  if (outcome && outcome->status == 406) speaks_json_only_ = true;
  ListWatchFailure failure = failure_of(outcome);
  ++(failure.kind == FailureKind::Expired ? freshness_.expired : freshness_.errors);
  failure.error = failure.error.with("watch " + target_.path);
  feed(WatchFailed{std::move(failure)});
}

}  // namespace elbowroom::api
