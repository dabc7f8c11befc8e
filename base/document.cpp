#include "base/document.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/document_tree.h"
#include "base/text.h"
#include "base/utf8.h"

namespace elbowroom {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kShownKeyBytes = 100;

// How many values a usual document has open at once. Growing costs more than the rest of a key.
constexpr std::size_t kUsualDepth = 16;
constexpr std::size_t kUsualMembers = 64;
constexpr std::size_t kUsualItems = 16;

Position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<std::uint32_t>(lines + 1),
          static_cast<std::uint32_t>(offset - line_start + 1)};
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

// True where one of the eight bytes may be a control character.
bool may_have_control(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101U;
  constexpr std::uint64_t kHighs = kOnes * 0x80;
  std::uint64_t eight = 0;
  std::memcpy(&eight, bytes, sizeof eight);
  const std::uint64_t below_space = (eight - kOnes * 0x20) & ~eight;
  const std::uint64_t from_delete = eight ^ (kOnes * 0x7F);
  return (((below_space | ((from_delete - kOnes) & ~from_delete)) & kHighs)) != 0;
}

std::size_t first_control(std::string_view text) {
  std::size_t at = 0;
  for (; text.size() - at >= 8; at += 8) {
    if (!may_have_control(text.data() + at)) continue;
    const auto eight = text.substr(at, 8);
    const auto found = std::ranges::find_if(eight, is_control);
    if (found != eight.end()) return at + static_cast<std::size_t>(found - eight.begin());
  }
  const auto rest = text.substr(at);
  return at + static_cast<std::size_t>(std::ranges::find_if(rest, is_control) - rest.begin());
}

const Member* first_duplicate(const std::vector<Member>& members) {
  if (members.size() <= 16) {  // no allocation for the usual small map
    for (std::size_t i = 1; i < members.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (members[i].key == members[j].key) return &members[i];
      }
    }
    return nullptr;
  }
  std::vector<const Member*> sorted;
  sorted.reserve(members.size());
  for (const Member& member : members) sorted.push_back(&member);
  std::ranges::sort(sorted, {}, [&members](const Member* m) {
    return std::pair(std::string_view(m->key), m - members.data());
  });
  const auto twice = std::ranges::adjacent_find(
      sorted, [](const Member* a, const Member* b) { return a->key == b->key; });
  return twice == sorted.end() ? nullptr : *(twice + 1);
}

// Moves the elements from `first` on out of the stack.
template <class T>
void take_from(std::vector<T>& stack, std::size_t first, std::vector<T>& to) {
  const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(first);
  to.assign(std::make_move_iterator(begin), std::make_move_iterator(stack.end()));
  stack.erase(begin, stack.end());
}

void add_missing(std::vector<Member>& members, std::set<std::string, std::less<>>& known,
                 Value&& from) {
  for (Member& each : from.members) {
    if (known.insert(each.key).second) members.push_back(std::move(each));
  }
}

// Source: https://yaml.org/type/merge.html
std::optional<Error> merge(std::vector<Member>& members, Member&& merged) {
  const auto is_map = [](const Value& value) { return value.kind == Value::Kind::Map; };
  Value& value = merged.value;
  const bool is_list = value.kind == Value::Kind::List && std::ranges::all_of(value.items, is_map);
  if (!is_list && !is_map(value)) {
    return error_at(merged.at, "a merge key (<<) needs a map, or a list of maps");
  }
  std::set<std::string, std::less<>> known;
  for (const Member& each : members) known.insert(each.key);
  if (!is_list) {
    add_missing(members, known, std::move(value));
    return std::nullopt;
  }
  for (Value& each : value.items) add_missing(members, known, std::move(each));
  return std::nullopt;
}

}  // namespace

Error error_at(Position at, std::string_view what) {
  std::string message = "line " + std::to_string(at.line) + ", column " +
                        std::to_string(at.column) + ": " + sanitize_line(what);
  return {Code::Invalid, std::move(message), {}};
}

Result<std::string_view> checked_text(std::string_view text, const DocumentLimits& limits) {
  if (text.size() > limits.bytes) {
    return failure(Code::Invalid, "line 1, column 1: more than " + std::to_string(limits.bytes) +
                                      " bytes: split the input");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const std::size_t bad = first_invalid_utf8(text); bad != text.size()) {
    return std::unexpected(error_at(position_of(text, bad), "not UTF-8: convert the text"));
  }
  if (const std::size_t bad = first_control(text); bad != text.size()) {
    return std::unexpected(error_at(position_of(text, bad),
                                    "a control character: remove it, or escape it in a string"));
  }
  return text;
}

Extent extent_of(const Value& value) {
  Extent total{1, value.text.size()};
  const auto add = [&](const Extent& part) {
    total.values += part.values;
    total.bytes += part.bytes;
  };
  for (const Value& item : value.items) add(extent_of(item));
  for (const Member& member : value.members) {
    add(extent_of(member.value));
    total.bytes += member.key.size();
  }
  return total;
}

DocumentTree::DocumentTree(const DocumentLimits& limits) : limits_(limits) {
  open_.reserve(kUsualDepth);
  members_.reserve(kUsualMembers);
  items_.reserve(kUsualItems);
}

std::optional<Error> DocumentTree::charge(Extent extent, Position at) {
  used_.values += extent.values;
  used_.bytes += extent.bytes;
  if (used_.values > limits_.values) {
    return error_at(at, "more than " + std::to_string(limits_.values) +
                            " values (aliases counted in full): split the input");
  }
  if (used_.bytes > limits_.bytes) {
    return error_at(at, "more than " + std::to_string(limits_.bytes) +
                            " bytes of text (aliases counted in full): split the input");
  }
  return std::nullopt;
}

std::optional<Error> DocumentTree::open(Value::Kind kind, Position at) {
  if (open_.size() >= limits_.depth) {
    return error_at(at, "nested more than " + std::to_string(limits_.depth) + " levels deep");
  }
  if (auto error = charge({1, 0}, at)) return error;
  const bool is_map = kind == Value::Kind::Map;
  open_.push_back({.kind = kind, .at = at, .first = is_map ? members_.size() : items_.size()});
  return std::nullopt;
}

std::optional<Error> DocumentTree::close() {
  const Open closed = open_.back();
  open_.pop_back();
  std::vector<Member> members;
  std::vector<Value> items;
  if (closed.kind == Value::Kind::Map) {
    take_from(members_, closed.first, members);
    std::optional<Member> merged;
    if (closed.merged != kNone) {
      const auto at = members.begin() + static_cast<std::ptrdiff_t>(closed.merged - closed.first);
      merged = std::move(*at);
      members.erase(at);
    }
    if (const Member* twice = first_duplicate(members)) {
      return error_at(twice->at,
                      "duplicate key \"" + clipped(twice->key, kShownKeyBytes) + "\": keep one");
    }
    if (merged) {
      if (auto error = merge(members, *std::move(merged))) return error;
    }
  } else {
    take_from(items_, closed.first, items);
  }
  Value& value = next();
  value.kind = closed.kind;
  value.at = closed.at;
  value.members = std::move(members);
  value.items = std::move(items);
  return std::nullopt;
}

void DocumentTree::key(std::string_view text, Position at) {
  members_.emplace_back(std::string(text), at);
  open_.back().has_key = true;
}

std::optional<Error> DocumentTree::merge_key(Position at) {
  Open& map = open_.back();
  if (map.merged != kNone) {
    return error_at(at, "duplicate key \"<<\": keep one, with a list of maps");
  }
  map.merged = members_.size();
  key("<<", at);
  return std::nullopt;
}

std::optional<Error> DocumentTree::scalar(Value::Kind kind, std::string_view text, Position at) {
  if (auto error = charge({1, text.size()}, at)) return error;
  Value& value = next();
  value.kind = kind;
  value.text = std::string(text);
  value.at = at;
  return std::nullopt;
}

std::optional<Error> DocumentTree::add(Value&& value) {
  if (value.kind != Value::Kind::List && value.kind != Value::Kind::Map) {
    if (auto error = charge({1, value.text.size()}, value.at)) return error;
  }
  next() = std::move(value);
  return std::nullopt;
}

bool DocumentTree::wants_key() const {
  return !open_.empty() && open_.back().kind == Value::Kind::Map && !open_.back().has_key;
}

Value& DocumentTree::next() {
  if (open_.empty()) return root_.emplace();
  if (open_.back().kind == Value::Kind::List) return items_.emplace_back();
  open_.back().has_key = false;
  return members_.back().value;
}

std::optional<Value> DocumentTree::take_root() { return std::exchange(root_, std::nullopt); }

// A key whose value is missing has Null, which its readers take for absent.
std::optional<Value> DocumentTree::take_begun() {
  while (!open_.empty()) {
    if (close()) return std::nullopt;
  }
  return take_root();
}

Value DocumentTree::take_last_item() {
  Value item = std::move(items_.back());
  items_.pop_back();
  return item;
}

const Value& DocumentTree::last() const {
  if (open_.empty()) return *root_;
  return open_.back().kind == Value::Kind::List ? items_.back() : members_.back().value;
}

}  // namespace elbowroom
