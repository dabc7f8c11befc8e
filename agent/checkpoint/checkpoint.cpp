#include "agent/checkpoint/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/document.h"
#include "base/json_escape.h"

namespace elbowroom::agent {
namespace {

constexpr std::string_view kMagic = "elbowroom-allocations v1 ";
constexpr DocumentLimits kLimits{.bytes = std::size_t{16} << 20, .depth = 16, .values = 1'000'000};

// Writing: members in the order of their keys, so that equal values give equal bytes.

// Names from the API are UTF-8; anything else must not throw here.
void write_text(std::string& out, const std::string& text) {
  if (is_plain_in_json(text)) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

void write_key(std::string& out, const std::string& key) {
  if (out.back() != '{') out += ',';
  write_text(out, key);
  out += ':';
}

void write_member(std::string& out, const std::string& key, const std::string& text) {
  write_key(out, key);
  write_text(out, text);
}

void write_member(std::string& out, const std::string& key, std::int64_t number) {
  write_key(out, key);
  out += std::to_string(number);
}

void write_member(std::string& out, const std::string& key, const policy::Resources& of) {
  std::vector<std::pair<std::string_view, std::int64_t>> amounts;
  policy::for_each_amount(
      of, [&](std::string_view name, std::int64_t amount) { amounts.emplace_back(name, amount); });
  std::ranges::sort(amounts);
  write_key(out, key);
  out += '{';
  for (const auto& [name, amount] : amounts) write_member(out, std::string(name), amount);
  out += '}';
}

void write_member(std::string& out, const std::string& key, const policy::Requirements& of) {
  write_key(out, key);
  out += '{';
  write_member(out, "limits", of.limits);
  write_member(out, "requests", of.requests);
  out += '}';
}

void write_member(std::string& out, const std::string& key, const PodAllocation& pod) {
  write_key(out, key);
  out += '{';
  write_key(out, "containers");
  out += '{';
  for (const auto& [name, allocated] : pod.containers) write_member(out, name, allocated);
  out += '}';
  write_member(out, "generation", pod.generation);
  write_member(out, "name", pod.name);
  write_member(out, "namespace", pod.ns);
  write_member(out, "podLevel", pod.pod_level);
  out += '}';
}

void write(std::string& out, const RemovalIntent& intent) {
  out += '{';
  if (!intent.boot.empty()) {
    write_member(out, "boot", intent.boot);
    write_member(out, "deferredAtMs", intent.deferred_at.count());
  }
  write_member(out, "generation", intent.generation);
  write_member(out, "preemptor", intent.preemptor_uid);
  write_key(out, "victims");
  out += '[';
  for (const Victim& victim : intent.victims) {
    if (out.back() != '[') out += ',';
    out += '{';
    write_member(out, "name", victim.name);
    write_member(out, "namespace", victim.ns);
    write_member(out, "uid", victim.uid);
    out += '}';
  }
  out += "]}";
}

void write(std::string& out, const CountedSet& set) {
  out += '{';
  write_member(out, "atMs", set.at.count());
  write_member(out, "boot", set.boot);
  write_member(out, "preemptor", set.preemptor_uid);
  if (!set.victim.empty()) write_member(out, "victim", set.victim);
  write_member(out, "victims", static_cast<std::int64_t>(set.victims));
  out += '}';
}

std::string body_of(const Checkpoint& checkpoint) {
  std::string out = "{";
  if (!checkpoint.counted.empty()) {
    write_key(out, "counted");
    out += '[';
    for (const CountedSet& set : checkpoint.counted) {
      if (out.back() != '[') out += ',';
      write(out, set);
    }
    out += ']';
  }
  write_key(out, "pods");
  out += '{';
  for (const auto& [uid, pod] : checkpoint.pods) write_member(out, uid, pod);
  out += '}';
  write_key(out, "removals");
  out += '[';
  for (const RemovalIntent& intent : checkpoint.removals) {
    if (out.back() != '[') out += ',';
    write(out, intent);
  }
  out += "]}\n";
  return out;
}

// Reading: every getter fails with the member's name.

Result<const Value*> member(const Value& map, std::string_view key, Value::Kind kind) {
  const Value* found = map.find(key);
  if (found == nullptr || found->kind != kind) {
    return failure(Code::Invalid,
                   "member \"" + std::string(key) + "\" is missing or of a wrong type");
  }
  return found;
}

Result<std::string> text_of(const Value& map, std::string_view key) {
  ASSIGN_OR_RETURN(const Value* found, member(map, key, Value::Kind::String));
  return found->text;
}

Result<std::int64_t> amount_in(const Value& value, std::string_view what) {
  std::int64_t amount = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, amount);
  if (value.kind != Value::Kind::Number || error != std::errc{} || stop != end || amount < 0) {
    return failure(Code::Invalid,
                   "\"" + std::string(what) + "\" is not a whole number from 0 to 2^63-1");
  }
  return amount;
}

Result<policy::Resources> resources_of(const Value& map, std::string_view key) {
  ASSIGN_OR_RETURN(const Value* found, member(map, key, Value::Kind::Map));
  policy::Resources of;
  for (const Member& each : found->members) {
    ASSIGN_OR_RETURN(const std::int64_t amount, amount_in(each.value, each.key));
    policy::set_amount(of, each.key, amount);
  }
  return of;
}

Result<policy::Requirements> requirements_of(const Value& map) {
  policy::Requirements of;
  ASSIGN_OR_RETURN(of.requests, resources_of(map, "requests"));
  ASSIGN_OR_RETURN(of.limits, resources_of(map, "limits"));
  return of;
}

Result<PodAllocation> pod_of(const Value& map) {
  PodAllocation pod;
  ASSIGN_OR_RETURN(pod.ns, text_of(map, "namespace"));
  ASSIGN_OR_RETURN(pod.name, text_of(map, "name"));
  if (const Value* generation = map.find("generation")) {
    ASSIGN_OR_RETURN(pod.generation, amount_in(*generation, "generation"));
  }
  ASSIGN_OR_RETURN(const Value* containers, member(map, "containers", Value::Kind::Map));
  for (const Member& each : containers->members) {
    ASSIGN_OR_RETURN(pod.containers[each.key], requirements_of(each.value));
  }
  ASSIGN_OR_RETURN(const Value* level, member(map, "podLevel", Value::Kind::Map));
  ASSIGN_OR_RETURN(pod.pod_level, requirements_of(*level));
  return pod;
}

Result<RemovalIntent> intent_of(const Value& map) {
  RemovalIntent intent;
  ASSIGN_OR_RETURN(intent.preemptor_uid, text_of(map, "preemptor"));
  ASSIGN_OR_RETURN(const Value* generation, member(map, "generation", Value::Kind::Number));
  ASSIGN_OR_RETURN(intent.generation, amount_in(*generation, "generation"));
  ASSIGN_OR_RETURN(const Value* victims, member(map, "victims", Value::Kind::List));
  for (const Value& each : victims->items) {
    Victim victim;
    ASSIGN_OR_RETURN(victim.uid, text_of(each, "uid"));
    ASSIGN_OR_RETURN(victim.ns, text_of(each, "namespace"));
    ASSIGN_OR_RETURN(victim.name, text_of(each, "name"));
    intent.victims.push_back(std::move(victim));
  }
  if (map.find("boot") == nullptr) return intent;  // of a version without it
  ASSIGN_OR_RETURN(intent.boot, text_of(map, "boot"));
  ASSIGN_OR_RETURN(const Value* at, member(map, "deferredAtMs", Value::Kind::Number));
  ASSIGN_OR_RETURN(const std::int64_t milliseconds, amount_in(*at, "deferredAtMs"));
  intent.deferred_at = std::chrono::milliseconds(milliseconds);
  return intent;
}

Result<CountedSet> counted_of(const Value& map) {
  CountedSet set;
  ASSIGN_OR_RETURN(set.preemptor_uid, text_of(map, "preemptor"));
  ASSIGN_OR_RETURN(set.boot, text_of(map, "boot"));
  ASSIGN_OR_RETURN(const Value* victims, member(map, "victims", Value::Kind::Number));
  ASSIGN_OR_RETURN(const std::int64_t count, amount_in(*victims, "victims"));
  // More than any node has, so that sums do not wrap.
  constexpr std::int64_t kMostVictims = 1'000'000;
  set.victims = static_cast<std::size_t>(std::min(count, kMostVictims));
  ASSIGN_OR_RETURN(const Value* at, member(map, "atMs", Value::Kind::Number));
  ASSIGN_OR_RETURN(const std::int64_t milliseconds, amount_in(*at, "atMs"));
  set.at = std::chrono::milliseconds(milliseconds);
  if (map.find("victim") == nullptr) return set;  // of a version without it
  ASSIGN_OR_RETURN(set.victim, text_of(map, "victim"));
  return set;
}

std::string header_of(std::string_view body) {
  char line[80];
  std::snprintf(line, sizeof line, "crc32c=%08x bytes=%zu\n", crc32c(body), body.size());
  return std::string(kMagic) + line;
}

// Returns the body after checking version, length and checksum.
Result<std::string_view> checked_body(std::string_view text) {
  if (!text.starts_with(kMagic)) {
    return failure(Code::Invalid, "the first line does not say \"elbowroom-allocations v1\"");
  }
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || end > 200) {
    return failure(Code::Invalid, "the first line does not end");
  }
  const std::string_view body = text.substr(end + 1);
  if (text.substr(0, end + 1) != header_of(body)) {
    return failure(Code::Invalid,
                   "checksum or length do not match: the file is torn or was changed");
  }
  return body;
}

}  // namespace

std::string encode(const Checkpoint& checkpoint) {
  const std::string body = body_of(checkpoint);
  return header_of(body) + body;
}

Result<Checkpoint> decode_checkpoint(std::string_view text) {
  ASSIGN_OR_RETURN(const std::string_view body, checked_body(text));
  ASSIGN_OR_RETURN(const Value document, parse_json(body, kLimits));

  Checkpoint checkpoint;
  ASSIGN_OR_RETURN(const Value* pods, member(document, "pods", Value::Kind::Map));
  for (const Member& each : pods->members) {
    auto pod = pod_of(each.value);
    if (!pod) return std::unexpected(pod.error().with("pod uid " + each.key));
    checkpoint.pods.emplace(each.key, *std::move(pod));
  }
  ASSIGN_OR_RETURN(const Value* removals, member(document, "removals", Value::Kind::List));
  for (const Value& each : removals->items) {
    ASSIGN_OR_RETURN(RemovalIntent intent, intent_of(each));
    checkpoint.removals.push_back(std::move(intent));
  }
  if (document.find("counted") == nullptr) return checkpoint;  // of a version without it
  ASSIGN_OR_RETURN(const Value* counted, member(document, "counted", Value::Kind::List));
  for (const Value& each : counted->items) {
    ASSIGN_OR_RETURN(CountedSet set, counted_of(each));
    checkpoint.counted.push_back(std::move(set));
  }
  return checkpoint;
}

}  // namespace elbowroom::agent
