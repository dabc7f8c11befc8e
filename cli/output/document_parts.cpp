#include "cli/output/document_parts.h"

#include <algorithm>
#include <cstdint>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "cli/output/screen.h"
#include "cli/output/table.h"
#include "cli/output/wrapped_text.h"

namespace elbowroom::cli::document_parts {
namespace {

using api::text_at;

const Value kAbsent;

std::string of_group(const Value& group) {
  if (!is_true(group, "known")) return ", which does not exist, or is not known here";
  std::string words = is_true(group, "gang")
                          ? ", a gang (minCount " + at(group, "minCount").text + ")"
                          : ", no gang";
  words += ", disruption mode " + text(group, "disruptionMode");
  if (text(group, "preemptionPolicy") == "Never") words += ", preemptionPolicy Never";
  return words;
}

}  // namespace

const Value& at(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found == nullptr ? kAbsent : *found;
}

std::string text(const Value& map, std::string_view key) { return std::string(text_at(map, key)); }
bool is_true(const Value& map, std::string_view key) { return at(map, key).text == "true"; }

// The first entries of a long list.
std::vector<const Value*> first(const Value& list, std::size_t most) {
  std::vector<const Value*> shown;
  for (const Value& each : list.items) {
    if (shown.size() == most) break;
    shown.push_back(&each);
  }
  return shown;
}

std::string item(std::string_view words) { return wrapped("- " + std::string(words), 2, 4); }
std::string line(std::string_view words) { return wrapped(words, 2, 2); }
std::string section(std::string_view title) { return "\n" + std::string(title) + "\n"; }

std::string indented_table(const std::vector<std::vector<std::string>>& rows,
                           std::span<const std::string> below) {
  return to_table(rows, {.columns = screen_columns(), .indent = 2, .below = below});
}

std::optional<policy::Time> time_in(const Value& map, std::string_view key) {
  const auto time = api::parse_timestamp(text_at(map, key));
  return time ? std::optional(*time) : std::nullopt;
}

// "2026-01-01T00:05:00Z" for "2026-01-01T00:05:00.123456Z": seconds are enough.
std::string whole_seconds(std::string when) {
  const std::size_t dot = when.find('.');
  if (dot == std::string::npos) return when;
  const std::size_t end = std::min(when.find_first_not_of("0123456789", dot + 1), when.size());
  return when.erase(dot, end - dot);
}

std::string span_of(std::chrono::microseconds span) {
  const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(span).count();
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (seconds < 7200) {
    const std::string rest = seconds % 60 == 0 ? "" : std::to_string(seconds % 60) + "s";
    return std::to_string(seconds / 60) + "m" + rest;
  }
  if (seconds < 172'800) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86'400) + "d";
}

// ", since TIME (5m)"; "" if not known.
std::string since_text(const Value& document, const Value& holder) {
  const auto since = time_in(holder, "since");
  const auto now = time_in(document, "time");
  if (!since) return "";
  std::string words = ", since " + whole_seconds(text(holder, "since"));
  if (now && *now >= *since) words += " (" + span_of(*now - *since) + ")";
  return words;
}

std::string names_in(const Value& list) {
  std::string words;
  for (const Value* each : first(list, 5)) words += (words.empty() ? "" : ", ") + each->text;
  if (list.items.size() > 5) words += " and " + std::to_string(list.items.size() - 5) + " more";
  return words;
}

std::string events(const Value& document) {
  const Value& all = at(document, "events");
  if (all.items.empty()) return "";
  std::string out = section("EVENTS");
  for (const Value* each : first(all, kShownPods)) {
    const std::string count = at(*each, "count").text;
    out += item(whole_seconds(text(*each, "time")) + " " + text(*each, "reason") +
                (count.empty() || count == "1" ? "" : " (" + count + " times)") + ": " +
                text(*each, "message"));
  }
  return out;
}

std::string notes(const Value& document) {
  std::string out;
  for (const Value* each : first(at(document, "notes"), kShownPods)) {
    out += wrapped("note: " + each->text, 0, 2);
  }
  return out.empty() ? out : "\n" + out;
}

std::string membership(const Value& document) {
  const Value& group = at(document, "group");
  if (group.kind != Value::Kind::Map) return "";
  std::string out = wrapped("group: " + text(group, "group") + of_group(group), 0, 2);
  const std::string counts = at(document, "priority").text;
  const std::string own = at(document, "ownPriority").text;
  if (is_true(group, "known") && counts != own) {
    out += wrapped("priority: the group's " + counts + " counts; the pod says " + own, 0, 2);
  }
  if (!text(group, "obstacle").empty()) {
    out += wrapped("the group is not supported: " + text(group, "obstacle"), 0, 2);
  } else if (!text(group, "waitsFor").empty()) {
    out += wrapped("the group waits for " + text(group, "waitsFor"), 0, 2);
    out += wrapped("more of it: elbowroom explain group " + text(group, "group"), 0, 2);
  }
  return out;
}

}  // namespace elbowroom::cli::document_parts
