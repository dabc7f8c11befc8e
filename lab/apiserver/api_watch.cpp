#include "lab/apiserver/api_watch.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "lab/schema/protobuf_body.h"
#include "lab/schema/protobuf_event.h"
#include "lab/schema/protobuf_list.h"
#include "lab/schema/protobuf_object.h"

namespace elbowroom::lab {
namespace {

constexpr std::size_t kEventsAtOnce = 100;
constexpr std::int64_t kLongestWatch = 3600;

Json bookmark_of(const Kind& kind, std::uint64_t version, bool ends_initial) {
  Json object = {{"kind", kind.name},
                 {"apiVersion", api_version_of(kind)},
                 {"metadata", {{"resourceVersion", std::to_string(version)}}}};
  if (ends_initial) {
    object["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  }
  return object;
}

std::string line_with(std::string_view type, std::string_view object) {
  constexpr std::string_view kType = R"({"type":")";
  constexpr std::string_view kObject = R"(","object":)";
  std::string line;
  line.reserve(kType.size() + type.size() + kObject.size() + object.size() + 2);
  return line.append(kType).append(type).append(kObject).append(object).append("}\n");
}

}  // namespace

Answer<ApiWatch> ApiWatch::open(const ApiRequest& request, const Route& route,
                                Clock::time_point now,
                                std::chrono::milliseconds bookmark_interval) {
  ASSIGN_OR_RETURN(Selector selector,
                   parse_selector(*route.kind, parameter(request, "labelSelector"),
                                  parameter(request, "fieldSelector")));
  const std::int64_t seconds =
      std::clamp<std::int64_t>(number_in(request, "timeoutSeconds", 1800), 1, kLongestWatch);
  ApiWatch watch({.kind = route.kind, .ns = route.ns, .selector = std::move(selector)});
  watch.form_ = table_form(request);
  watch.in_protobuf_ = wants_protobuf(request) && supports_protobuf(*route.kind);
  watch.requested_version_ = parameter(request, "resourceVersion");
  watch.bookmarks_ = truth_in(request, "allowWatchBookmarks");
  watch.initial_events_ = truth_in(request, "sendInitialEvents");
  watch.bookmark_interval_ = bookmark_interval;
  watch.deadline_ = now + std::chrono::seconds(seconds);
  watch.next_bookmark_ = now + bookmark_interval;
  return watch;
}

ApiWatch::Clock::time_point ApiWatch::due() const {
  return bookmarks_ ? std::min(deadline_, next_bookmark_) : deadline_;
}

std::string_view ApiWatch::media_type() const {
  return in_protobuf_ ? kProtobuf : "application/json";
}

// One event. Clients that ask for tables get a table of one row; the first has column definitions.
std::string ApiWatch::event(std::string_view type, const Object& object, policy::Time now) {
  if (in_protobuf_) return protobuf_event(type, *query_.kind, object);
  if (!form_.wanted) return line_with(type, object.text());
  const bool first = !std::exchange(columns_said_, true);
  return line_with(type, to_text(table_of(*query_.kind, object, form_.object, now, first)));
}

std::string ApiWatch::bookmark(bool ends_initial) const {
  const Json object = bookmark_of(*query_.kind, version_, ends_initial);
  return in_protobuf_ ? protobuf_event("BOOKMARK", *query_.kind, object)
                      : line_with("BOOKMARK", to_text(object));
}

std::string ApiWatch::error_event(const ApiError& error) const {
  const Json status = to_status(error);
  return in_protobuf_ ? protobuf_error_event(status) : line_with("ERROR", to_text(status));
}

// The first events of a watch: none when it resumes, otherwise one for each existing object.
Answer<std::string> ApiWatch::opening_events(const World& world) {
  const bool resumes = !requested_version_.empty() && requested_version_ != "0";
  if (resumes && !initial_events_) {
    const auto [end, error] = std::from_chars(
        requested_version_.data(), requested_version_.data() + requested_version_.size(), version_);
    if (error != std::errc{} || end != requested_version_.data() + requested_version_.size()) {
      return std::unexpected(bad_request("Invalid value: resourceVersion"));
    }
    return std::string();
  }
  ASSIGN_OR_RETURN(const Json list, world.list({.kind = query_.kind,
                                                .ns = query_.ns,
                                                .selector = query_.selector,
                                                .resource_version = requested_version_}));
  std::string events;
  for (const Json& item : list["items"]) {
    events += event("ADDED", Object(item), world.time());
  }
  version_ = world.version();
  if (initial_events_ && bookmarks_) events += bookmark(true);
  return events;
}

Answer<std::vector<WatchEvent>> ApiWatch::changes(const World& world) {
  ASSIGN_OR_RETURN(std::vector<WatchEvent> changes,
                   world.changes_after(query_, version_, kEventsAtOnce));
  version_ = changes.size() == kEventsAtOnce ? changes.back().version : world.version();
  return changes;
}

Answer<std::string> ApiWatch::events(const World& world) {
  ASSIGN_OR_RETURN(const std::vector<WatchEvent> all, changes(world));
  std::string text;
  for (const WatchEvent& each : all) text += event(each.type, each.object, world.time());
  return text;
}

std::string ApiWatch::line_of(const WatchEvent& event) {
  return line_with(event.type, event.object.text());
}

ApiWatch::Step ApiWatch::next(const World& world, Clock::time_point now) {
  Step step;
  const bool opens = !std::exchange(opened_, true);
  step.over = now >= deadline_;
  if (!step.over) {
    auto text = opens ? opening_events(world) : events(world);
    step.over = !text;
    step.text = text ? std::move(*text) : error_event(text.error());
    if (!text) return step;
  }
  say_bookmark(step, now);
  return step;
}

ApiWatch::Step ApiWatch::next_as_trees(const World& world, Clock::time_point now) {
  if (!opened_ || now >= deadline_ || in_protobuf_ || form_.wanted) return next(world, now);
  Step step;
  auto all = changes(world);
  if (!all) return {.text = error_event(all.error()), .over = true};
  step.events = *std::move(all);
  say_bookmark(step, now);
  return step;
}

void ApiWatch::say_bookmark(Step& step, Clock::time_point now) {
  if (!bookmarks_ || (!step.over && now < next_bookmark_)) return;
  step.text += bookmark(false);
  next_bookmark_ = now + bookmark_interval_;
}

}  // namespace elbowroom::lab
