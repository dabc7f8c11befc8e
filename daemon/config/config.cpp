#include "daemon/config/config.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>
#include <utility>

#include "base/document.h"
#include "base/document_text.h"
#include "base/durable_file.h"
#include "base/text.h"
#include "daemon/config/suggestion.h"

namespace elbowroom::daemon {
namespace {

constexpr std::string_view kApiVersion = "elbowroom.dev/v1alpha1";
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxValueBytes = 4096;  // Linux bound of a path
constexpr std::size_t kShownBytes = 100;
constexpr DocumentLimits kLimits{.bytes = kMaxFileBytes, .depth = 8, .values = 1000};

std::string shown(std::string_view text) {
  return "\"" + sanitize_line(clipped(text, kShownBytes)) + "\"";
}

std::string maybe(std::string_view word, std::span<const std::string_view> candidates) {
  const auto meant = closest(word, candidates);
  return meant ? ": did you mean " + std::string(*meant) + "?" : "";
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

bool is_unprintable(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Returns what is wrong with a value, or nothing.
std::optional<std::string> objection(const Key& key, std::string_view value) {
  if (value.empty()) {
    if (key.may_be_empty) return std::nullopt;
    return "is empty: give it a value, or leave it out";
  }
  if (value.size() > kMaxValueBytes) return "is longer than 4096 bytes";
  if (std::ranges::any_of(value, is_unprintable)) return "holds a control character: remove it";
  switch (key.kind) {
    case Key::Kind::Text:
    case Key::Kind::Path:
    case Key::Kind::Amount:
    case Key::Kind::Block:
      return std::nullopt;
    case Key::Kind::Bool:
      if (value == "true" || value == "false") return std::nullopt;
      return shown(value) + " is neither true nor false";
    case Key::Kind::Choice:
      if (std::ranges::find(key.choices, value) != key.choices.end()) return std::nullopt;
      return shown(value) + " is none of " + joined(key.choices) + maybe(value, key.choices);
    case Key::Kind::Address: {
      const auto address = parse_address(value);
      if (address) return std::nullopt;
      return shown(value) + ": " + address.error().message;
    }
  }
  return std::nullopt;
}

std::string_view wanted_by(Key::Kind kind) {
  if (kind == Key::Kind::Amount) return "a number";
  return kind == Key::Kind::Bool ? "true or false" : "a string";
}

// Returns what is wrong with the type of a value in a file, or nothing.
std::optional<std::string> type_objection(const Key& key, const Value& value) {
  using Kind = Value::Kind;
  const bool bare_number = key.kind == Key::Kind::Amount && value.kind == Kind::Number;
  const bool fits = value.kind == (key.kind == Key::Kind::Bool ? Kind::Bool : Kind::String);
  if (fits || bare_number) return std::nullopt;
  const std::string choices =
      key.kind == Key::Kind::Choice ? ", one of " + joined(key.choices) : "";
  const std::string wants = "wants " + std::string(wanted_by(key.kind)) + choices;
  switch (value.kind) {
    case Kind::Null:
      return "is empty: give it a value, or leave it out";
    case Kind::List:
      return wants + ", not a list";
    case Kind::Map:
      return wants + ", not a mapping";
    case Kind::String:
      return wants + ", not " + shown(value.text);
    case Kind::Number:
    case Kind::Bool:
      return wants + (key.kind == Key::Kind::Bool || key.kind == Key::Kind::Amount
                          ? ", not " + value.text
                          : ": put quotes around " + shown(value.text));
  }
  return wants;
}

struct File {
  std::string_view path{};

  [[nodiscard]] std::unexpected<Error> error(Position at, const std::string& what) const {
    return failure(Code::Invalid,
                   std::string(path) + ": line " + std::to_string(at.line) + ": " + what);
  }
};

Result<void> check_header(const File& file, const Value& root, std::string_view name,
                          std::string_view wanted) {
  const Value* value = root.find(name);
  if (value == nullptr) {
    return file.error(root.at, std::string(name) + " is missing: add the line " +
                                   std::string(name) + ": " + std::string(wanted));
  }
  if (value->kind == Value::Kind::String && value->text == wanted) return {};
  return file.error(value->at, std::string(name) + ": " + shown(value->text) +
                                   " is not known here: write " + std::string(wanted));
}

Setting* find(Settings& settings, std::string_view key) {
  const auto found =
      std::ranges::find(settings.all, key, [](const Setting& setting) { return setting.key.name; });
  return found == settings.all.end() ? nullptr : &*found;
}

std::vector<std::string_view> names_of(const Settings& settings) {
  std::vector<std::string_view> names;
  for (const Setting& setting : settings.all) names.push_back(setting.key.name);
  return names;
}

Result<void> set_from_member(const File& file, const Member& member, Settings& settings) {
  Setting* setting = find(settings, member.key);
  if (setting == nullptr) {
    return file.error(member.at,
                      "unknown key " + shown(member.key) + maybe(member.key, names_of(settings)));
  }
  setting->origin = std::string(file.path) + ": line " + std::to_string(member.at.line);
  if (setting->key.kind == Key::Kind::Block) {
    setting->value = elbowroom::to_yaml(map_value({member}));
    settings.blocks.members.push_back(member);
    return {};
  }
  const std::string name(setting->key.name);
  if (const auto wrong = type_objection(setting->key, member.value)) {
    return file.error(member.value.at, name + ": " + *wrong);
  }
  if (const auto wrong = objection(setting->key, member.value.text)) {
    return file.error(member.value.at, name + ": " + *wrong);
  }
  setting->value = member.value.text;
  return {};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Value value_of(const Key& key, const std::string& value) {
  if (key.kind == Key::Kind::Bool) return bool_value(value == "true");
  const bool bare = key.kind == Key::Kind::Amount && is_number(value);
  return bare ? Value{.kind = Value::Kind::Number, .text = value} : text_value(value);
}

std::string line_of(std::string_view key, Value value) {
  return elbowroom::to_yaml(map_value({member(std::string(key), std::move(value))}));
}

std::string line_of(const Key& key, const Resolution& resolution) {
  if (resolution.value.empty()) {
    return "# " + std::string(key.name) + ": " + sanitize_line(resolution.why) + "\n";
  }
  std::string line = line_of(key.name, value_of(key, resolution.value));
  line.pop_back();
  return line + "  # " + sanitize_line(resolution.why) + "\n";
}

bool is_header(std::string_view key) { return key == "apiVersion" || key == "kind"; }

}  // namespace

std::string flag_of(std::string_view key) {
  std::string flag;
  for (const char c : key) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) flag += '-';
    flag += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return flag;
}

std::vector<Key> common_keys(std::string_view listen) {
  using Kind = Key::Kind;
  return {
      {.name = "kubeconfig",
       .kind = Kind::Path,
       .help = "how to reach the API server; without it "
               "the in-cluster configuration",
       .is_live = true},
      {.name = "listen",
       .kind = Kind::Address,
       .fallback = listen,
       .help = "where metrics and health are served, ADDR:PORT"},
      {.name = "logLevel",
       .kind = Kind::Choice,
       .fallback = "info",
       .choices = {"debug", "info", "warn", "error"},
       .help = "the least that is logged",
       .is_live = true},
      {.name = "logFormat",
       .kind = Kind::Choice,
       .fallback = "text",
       .choices = {"text", "json", "journal"},
       .help = "how it is logged"},
      {.name = "record",
       .kind = Kind::Path,
       .help = "write what was observed to this file, to replay it"},
      {.name = "recordLimit",
       .kind = Kind::Amount,
       .fallback = "64Mi",
       .help = "what that file and the three before it hold together, in bytes"},
  };
}

const Setting& Settings::at(std::string_view key) const {
  const auto found =
      std::ranges::find(all, key, [](const Setting& setting) { return setting.key.name; });
  assert(found != all.end());
  return *found;
}

Address Settings::address(std::string_view key) const {
  const auto address = parse_address(text(key));
  assert(address);  // checked when the value was set
  return *address;
}

Settings defaults(const Schema& schema) {
  Settings settings{.kind = schema.kind, .all = {}, .blocks = map_value({})};
  for (const Key& key : schema.keys) {
    settings.all.push_back({key, std::string(key.fallback), "default"});
  }
  return settings;
}

Result<Settings> settings_from(const Schema& schema, std::string_view path, std::string_view text) {
  const File file{path};
  auto documents = parse_yaml(text, kLimits);
  if (!documents) return std::unexpected(documents.error().with(path));
  if (documents->size() != 1 || documents->front().kind != Value::Kind::Map) {
    return file.error({1, 1}, "not one mapping: begin with apiVersion: " +
                                  std::string(kApiVersion) + ", and write one document");
  }
  const Value& root = documents->front();
  RETURN_IF_ERROR(check_header(file, root, "apiVersion", kApiVersion));
  RETURN_IF_ERROR(check_header(file, root, "kind", schema.kind));
  Settings settings = defaults(schema);
  for (const Member& member : root.members) {
    if (is_header(member.key)) {
      settings.blocks.members.push_back(member);
      continue;
    }
    RETURN_IF_ERROR(set_from_member(file, member, settings));
  }
  return settings;
}

Result<Settings> settings_from_file(const Schema& schema, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, read_file(path, kMaxFileBytes));
  return settings_from(schema, path, text);
}

Result<Settings> with_flags(Settings settings, const std::map<std::string, std::string>& flags) {
  std::vector<std::string> known;
  for (const Setting& setting : settings.all) {
    const bool has_flag = setting.key.kind != Key::Kind::Block;
    known.push_back(has_flag ? flag_of(setting.key.name) : "");
  }
  for (const auto& [flag, value] : flags) {
    const auto found = std::ranges::find(known, flag);
    if (found == known.end()) {
      const std::vector<std::string_view> candidates(known.begin(), known.end());
      return failure(Code::Invalid, "unknown flag " + shown("--" + flag) + maybe(flag, candidates));
    }
    Setting& setting = settings.all[static_cast<std::size_t>(found - known.begin())];
    if (const auto wrong = objection(setting.key, value)) {
      return failure(Code::Invalid, "--" + flag + ": " + *wrong);
    }
    setting.value = value;
    setting.origin = "flag";
  }
  return settings;
}

Result<std::vector<std::string>> live_changes(const Settings& now, const Settings& next) {
  std::vector<std::string> changed;
  for (const Setting& setting : next.all) {
    const Setting& before = now.at(setting.key.name);
    if (before.value == setting.value) continue;
    if (setting.key.is_live) {
      changed.emplace_back(setting.key.name);
      continue;
    }
    const std::string& origin = setting.given() ? setting.origin : before.origin;
    std::string what = std::string(setting.key.name) + ": ";
    if (!setting.key.secret) {
      what += (setting.value.empty() ? "unset" : shown(setting.value)) + " instead of " +
              (before.value.empty() ? "unset" : shown(before.value)) + ": ";
    }
    return failure(Code::Invalid, origin + ": " + what + "this key needs a restart");
  }
  return changed;
}

std::string to_yaml(const Settings& settings, const std::vector<Resolution>& resolved) {
  std::string yaml = line_of("apiVersion", text_value(std::string(kApiVersion))) +
                     line_of("kind", text_value(std::string(settings.kind)));
  for (const Setting& setting : settings.all) {
    if (setting.key.kind == Key::Kind::Block) {
      yaml += setting.value;
      continue;
    }
    const bool switched_off = setting.key.may_be_empty && setting.given();
    if (!setting.value.empty() || switched_off) {
      yaml += line_of(setting.key.name, setting.key.secret ? text_value("(removed)")
                                                           : value_of(setting.key, setting.value));
      continue;
    }
    const auto found = std::ranges::find(resolved, setting.key.name, &Resolution::key);
    if (found != resolved.end()) yaml += line_of(setting.key, *found);
  }
  return yaml;
}

}  // namespace elbowroom::daemon
