#include "api/watch_loop.h"

#include <algorithm>
#include <utility>

#include "api/json.h"
#include "api/protobuf_object.h"
#include "api/watch_event.h"

namespace elbowroom::api {
namespace {

constexpr std::chrono::milliseconds kListDeadline{60'000};
constexpr std::chrono::seconds kWatchSlack{30};

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
  items_sieve_.emplace(target_.kind, WireSieve::Of::Object);
  events_sieve_.emplace(target_.kind, WireSieve::Of::Event);
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
    if (callbacks_.upserted) callbacks_.upserted(*object_);
  } else if (std::get_if<DeliverRemoval>(&action) != nullptr) {
    if (callbacks_.removed) callbacks_.removed(*object_);
  } else if (const auto* stale = std::get_if<TellStale>(&action)) {
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
  if (target_.by_protobuf && !wants_json_) {
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
  items_ = ListItems();
  protobuf_.reset();
  list_error_.reset();

  Query query;
  if (!page.resource_version.empty()) query.emplace_back("resourceVersion", page.resource_version);
  if (page.limit > 0) query.emplace_back("limit", std::to_string(page.limit));
  if (!page.continue_token.empty()) query.emplace_back("continue", page.continue_token);
  Request request = request_for(std::move(query));
  request.deadline = kListDeadline;

  StreamCallbacks callbacks;
  callbacks.opened = [this](const Response& response) {
    if (!is_protobuf(response)) return;
    protobuf_.emplace(target_.kind);
    ++freshness_.protobuf_lists;
  };
  callbacks.chunk = [this](std::string_view chunk) { take_list_chunk(chunk); };
  callbacks.done = [this](Result<Response> outcome) { end_list(std::move(outcome)); };
  ticket_ = transport_.stream(std::move(request), std::move(callbacks));
}

void WatchLoop::take_list_chunk(std::string_view chunk) {
  const auto fed =
      protobuf_
          ? protobuf_->feed(chunk, [this](std::string_view item) { return take_message(item); })
          : items_.feed(chunk, [this](std::string_view text) { return take_item(text); });
  if (!fed && !list_error_) list_error_ = fed.error();
  if (!list_error_) return;
  if (protobuf_) wants_json_ = true;
  feed(ListFailed{{FailureKind::Other, list_error_->with("list " + target_.path)}});
}

bool WatchLoop::take_item(std::string_view text) {
  return take_item(object_in_json(text, items_sieve_));
}

bool WatchLoop::take_message(std::string_view message) {
  return take_item(protobuf_message(target_.kind, message));
}

bool WatchLoop::take_item(const Result<Value>& item) {
  if (!item) {
    list_error_ = item.error().with("an item");
    return false;
  }
  if (callbacks_.listed) callbacks_.listed(*item);
  return true;
}

void WatchLoop::end_list(Result<Response> outcome) {
  if (!outcome || !is_success(*outcome)) {
    ListWatchFailure failure = failure_of(outcome);
    if (failure.kind == FailureKind::Expired) ++freshness_.expired;
    if (outcome && outcome->status == 406) wants_json_ = true;
    failure.error = failure.error.with("list " + target_.path);
    feed(ListFailed{std::move(failure)});
    return;
  }
  const auto head = list_head();
  if (!head) {
    if (protobuf_) wants_json_ = true;
    feed(ListFailed{{FailureKind::Other, head.error().with("list " + target_.path)}});
    return;
  }
  // A success whose body is a Status that says no; servers should not, proxies do.
  if (text_at(*head, "kind") == "Status") {
    feed(ListFailed{failure_from(status_from(*head))});
    return;
  }
  freshness_.heard = transport_.now();
  PageArrived page;
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
    listen_for(longest_silence());
    feed(WatchOpened{});
  };
  callbacks.chunk = [this](std::string_view chunk) { take_watch_chunk(chunk); };
  callbacks.event = [this](std::string_view type, const Value& object) {
    last_byte_ = transport_.now();
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

// One timer at a time, whatever comes meanwhile: it looks when the last byte was.
void WatchLoop::listen_for(std::chrono::milliseconds silence) {
  const Clock::duration left = last_byte_ + silence - transport_.now();
  silence_ = transport_.after(std::max(left, Clock::duration::zero()), [this, asked = asked_] {
    if (asked == asked_) end_silence();
  });
}

// A failure, and no normal end: a server that hangs says nothing either.
void WatchLoop::end_silence() {
  const std::chrono::milliseconds limit = is_open_ ? longest_silence() : options_.longest_head;
  if (transport_.now() - last_byte_ < limit) return listen_for(limit);
  // A server whose bookmarks stopped gets the longer time again.
  if (is_open_) has_bookmarks_ = had_bookmark_;
  ++(is_open_ ? freshness_.cut : freshness_.errors);
  Error error{Code::Unavailable, "nothing came for " + std::to_string(limit.count()) + " ms", {}};
  feed(WatchFailed{{FailureKind::Unreachable, error.with("watch " + target_.path)}});
}

void WatchLoop::take_watch_chunk(std::string_view chunk) {
  last_byte_ = transport_.now();
  const std::uint64_t asked = asked_;
  const auto take = [this, asked](std::string_view text) {
    // An event can end this watch: what stands behind it in the chunk is no longer ours.
    return take_event(text) && asked == asked_;
  };
  const auto fed = sends_frames_ ? frames_.feed(chunk, take) : lines_.feed(chunk, take);
  if (!fed && asked == asked_) break_watch(fed.error());
}

bool WatchLoop::take_event(std::string_view text) {
  auto told = sends_frames_ ? event_in_protobuf(text) : event_in_json(text, events_sieve_);
  if (!told) {
    break_watch(told.error());
    return false;
  }
  take_event(told->type, told->object);
  return true;
}

void WatchLoop::take_event(std::string_view type, const Value& object) {
  EventArrived event;
  event.type = type_of(type);
  object_ = &object;
  freshness_.heard = transport_.now();
  ++freshness_.events;
  ++freshness_.events_by_type.at(std::to_underlying(event.type));
  if (event.type == EventType::Bookmark && !had_bookmark_) {
    had_bookmark_ = has_bookmarks_ = true;
    listen_for(longest_silence());
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
  feed(event);
  object_ = nullptr;
}

// What protobuf does not tell sensibly, JSON may.
void WatchLoop::break_watch(const Error& error) {
  ++freshness_.errors;
  if (sends_frames_) wants_json_ = true;
  feed(WatchFailed{{FailureKind::Other, error.with("watch " + target_.path)}});
}

void WatchLoop::end_watch(Result<Response> outcome) {
  const bool has_failed = !outcome || !is_success(*outcome);
  if (!has_failed || is_open_) {
    ++(has_failed ? freshness_.cut : freshness_.timeouts);
    feed(WatchEnded{});
    return;
  }
  if (outcome && outcome->status == 406) wants_json_ = true;
  ListWatchFailure failure = failure_of(outcome);
  ++(failure.kind == FailureKind::Expired ? freshness_.expired : freshness_.errors);
  failure.error = failure.error.with("watch " + target_.path);
  feed(WatchFailed{std::move(failure)});
}

}  // namespace elbowroom::api
