#include "api/write/event_correlator.h"

#include <algorithm>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "base/text.h"
#include "base/utf8.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxWord = 128;
constexpr std::size_t kMaxNote = 1024;
constexpr std::size_t kMaxName = 253;

// Cuts to at most that many bytes, between characters.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  text.resize(most);
  // The cut can make only the last three bytes invalid.
  const std::size_t valid = first_invalid_utf8(text);
  if (valid + 4 > text.size()) text.resize(valid);
  return text;
}

std::string hex_of(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  do {
    out.insert(out.begin(), kDigits[number & 0xf]);
    number >>= 4;
  } while (number != 0);
  return out;
}

// FNV-1a: the same on every machine and in every release, as required for an API name.
std::uint64_t digest_of(std::string_view uid, std::string_view reason) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  const auto add = [&](char each) {
    digest = (digest ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  };
  std::ranges::for_each(uid, add);
  add('/');
  std::ranges::for_each(reason, add);
  return digest;
}

Value json_of(const EventObject& object) {
  Value map = json_map({{"apiVersion", json_text(object.api_version)},
                        {"kind", json_text(object.kind)},
                        {"name", json_text(object.ref.name)}});
  if (!object.ref.ns.empty()) set_member(map, "namespace", json_text(object.ref.ns));
  if (!object.ref.uid.empty()) set_member(map, "uid", json_text(object.ref.uid));
  return map;
}

// Events about cluster-scoped objects live in "default".
std::string namespace_of(const EventNote& note) {
  return note.regarding.ref.ns.empty() ? "default" : note.regarding.ref.ns;
}

EventNote within_limits(EventNote note) {
  note.reason = cut(std::move(note.reason), kMaxWord);
  note.action = cut(std::move(note.action), kMaxWord);
  note.note = cut(sanitize_line(note.note), kMaxNote);
  return note;
}

// Beyond the limit, removes the least recently used entry.
template <class Map, class Stamp>
void make_place(Map& map, std::size_t most, Stamp stamp) {
  if (map.size() < most || map.empty()) return;
  map.erase(
      std::ranges::min_element(map, {}, [&](const auto& entry) { return entry.second.*stamp; }));
}

}  // namespace

EventCorrelator::EventCorrelator(EventCorrelatorOptions options) : options_(std::move(options)) {
  options_.controller = cut(std::move(options_.controller), kMaxWord);
  options_.instance = cut(std::move(options_.instance), kMaxWord);
}

Clock::duration EventCorrelator::wait(const EventNote& note, Clock::time_point now) const {
  const auto rate = rates_.find(note.regarding);
  if (note.rank == EventRank::Removal || rate == rates_.end()) return {};
  return series_.contains(within_limits(note)) ? Clock::duration{} : rate->second.bucket.wait(now);
}

std::optional<EventWrite> EventCorrelator::record(EventNote note, policy::Time wall,
                                                  Clock::time_point now, std::int64_t times) {
  note = within_limits(std::move(note));
  combine(note, now);

  if (const auto found = series_.find(note); found != series_.end()) {
    if (note.once) return std::nullopt;
    Series& series = found->second;
    const bool is_first = series.count == 1;
    series.count += times;
    series.last = wall;
    series.seen = now;
    // The second occurrence creates a series; later ones are only counted.
    if (is_first) return count(note, series, now);
    return std::nullopt;
  }
  take_token(note, now);
  make_place(series_, options_.max_kept, &Series::seen);
  const Series series{unique_name(note, wall), wall, wall, times, times, now, now};
  EventWrite write = creation(note, series);
  series_.emplace(std::move(note), series);
  return write;
}

// Source: client-go tools/record events_cache.go, EventAggregator.
void EventCorrelator::combine(EventNote& note, Clock::time_point now) {
  EventNote key = note;
  key.note.clear();
  auto found = similar_.find(key);
  if (found == similar_.end()) {
    make_place(similar_, options_.max_kept, &Similar::seen);
    found = similar_.emplace(std::move(key), Similar{}).first;
  }
  Similar& similar = found->second;
  if (now - similar.seen > options_.similar_within) similar = {};
  similar.seen = now;
  if (similar.notes.size() < options_.most_similar) similar.notes.insert(note.note);
  if (similar.notes.contains(note.note)) return;
  if (similar.combined.empty()) {
    similar.combined = cut("(combined from similar events): " + note.note, kMaxNote);
  }
  note.note = similar.combined;
}

void EventCorrelator::take_token(const EventNote& note, Clock::time_point now) {
  if (note.rank == EventRank::Removal) return;
  auto found = rates_.find(note.regarding);
  if (found == rates_.end()) {
    make_place(rates_, options_.max_kept, &ObjectRate::used);
    found = rates_.emplace(note.regarding, ObjectRate{TokenBucket(options_.per_object), now}).first;
  }
  found->second.used = now;
  static_cast<void>(found->second.bucket.take(now));
}

std::vector<EventWrite> EventCorrelator::sweep(Clock::time_point now) {
  std::vector<EventWrite> writes;
  for (auto at = series_.begin(); at != series_.end();) {
    Series& series = at->second;
    const bool is_over = now - series.seen >= options_.forget_after;
    const bool is_due = now - series.written_at >= options_.refresh_after;
    if (series.count > series.written && (is_over || is_due)) {
      writes.push_back(count(at->first, series, now));
    }
    at = is_over ? series_.erase(at) : std::next(at);
  }
  std::erase_if(similar_, [&](const auto& entry) {
    return now - entry.second.seen > options_.similar_within;
  });
  std::erase_if(rates_, [&](const auto& entry) {
    const auto full_after = options_.per_object.per_request * options_.per_object.burst;
    return now - entry.second.used >= full_after;
  });
  return writes;
}

EventWrite EventCorrelator::creation(const EventNote& note, const Series& series) const {
  Value metadata =
      json_map({{"name", json_text(series.name)}, {"namespace", json_text(namespace_of(note))}});
  if (!options_.label.empty()) {
    set_member(metadata, "labels", json_map({{options_.label, json_text("true")}}));
  }
  Value event =
      json_map({{"apiVersion", json_text("events.k8s.io/v1")},
                {"kind", json_text("Event")},
                {"metadata", std::move(metadata)},
                {"eventTime", json_text(format_micro_timestamp(series.first))},
                {"reportingController", json_text(options_.controller)},
                {"reportingInstance", json_text(options_.instance)},
                {"action", json_text(note.action)},
                {"reason", json_text(note.reason)},
                {"type", json_text(note.severity == EventSeverity::Warning ? "Warning" : "Normal")},
                {"regarding", json_of(note.regarding)},
                {"note", json_text(note.note)}});
  if (note.related) set_member(event, "related", json_of(*note.related));
  if (series.count > 1) {
    set_member(event, "series",
               json_map({{"count", json_number(series.count)},
                         {"lastObservedTime", json_text(format_micro_timestamp(series.last))}}));
  }
  return {Method::Post, namespace_of(note), series.name, to_json(event), ""};
}

EventWrite EventCorrelator::count(const EventNote& note, Series& series,
                                  Clock::time_point now) const {
  series.written = series.count;
  series.written_at = now;
  const Value body = json_map(
      {{"series",
        json_map({{"count", json_number(series.count)},
                  {"lastObservedTime", json_text(format_micro_timestamp(series.last))}})}});
  return {Method::Patch, namespace_of(note), series.name, to_json(body),
          creation(note, series).body};
}

std::string EventCorrelator::unique_name(const EventNote& note, policy::Time wall) {
  const auto micros = std::max<std::int64_t>(wall.time_since_epoch().count(), 0);
  last_nano_ = std::max(last_nano_ + 1, static_cast<std::uint64_t>(micros) * 1000);
  const std::string suffix =
      "." + hex_of(note.once ? digest_of(note.regarding.ref.uid, note.reason) : last_nano_);
  return note.regarding.ref.name.substr(0, kMaxName - suffix.size()) + suffix;
}

}  // namespace elbowroom::api
