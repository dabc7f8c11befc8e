#include "base/document.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/tree.h"
#include "base/utf8.h"

namespace elbowroom {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kShownKeyBytes = 100;

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
  if (const auto bad = std::ranges::find_if(text, is_control); bad != text.end()) {
    const auto offset = static_cast<std::size_t>(bad - text.begin());
    return std::unexpected(error_at(position_of(text, offset),
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

std::optional<Error> Tree::charge(Extent extent, Position at) {
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

std::optional<Error> Tree::open(Value::Kind kind, Position at) {
  if (open_.size() >= limits_.depth) {
    return error_at(at, "nested more than " + std::to_string(limits_.depth) + " levels deep");
  }
  if (auto error = charge({1, 0}, at)) return error;
  open_.push_back({Value{.kind = kind, .at = at}, std::nullopt});
  return std::nullopt;
}

std::optional<Error> Tree::close() {
  Value value = std::move(open_.back().value);
  open_.pop_back();
  if (const Member* twice = first_duplicate(value.members)) {
    return error_at(twice->at,
                    "duplicate key \"" + clipped(twice->key, kShownKeyBytes) + "\": keep one");
  }
  place(std::move(value));
  return std::nullopt;
}

void Tree::key(std::string text, Position at) { open_.back().key.emplace(std::move(text), at); }

std::optional<Error> Tree::add(Value value) {
  if (value.kind != Value::Kind::List && value.kind != Value::Kind::Map) {
    if (auto error = charge({1, value.text.size()}, value.at)) return error;
  }
  place(std::move(value));
  return std::nullopt;
}

bool Tree::wants_key() const {
  return !open_.empty() && open_.back().value.kind == Value::Kind::Map && !open_.back().key;
}

void Tree::place(Value value) {
  if (open_.empty()) {
    root_ = std::move(value);
    return;
  }
  Open& parent = open_.back();
  if (parent.value.kind == Value::Kind::List) {
    parent.value.items.push_back(std::move(value));
    return;
  }
  auto& [key, at] = *parent.key;
  parent.value.members.push_back({std::move(key), at, std::move(value)});
  parent.key.reset();
}

std::optional<Value> Tree::take_root() { return std::exchange(root_, std::nullopt); }

const Value& Tree::last() const {
  if (open_.empty()) return *root_;
  const Value& parent = open_.back().value;
  return parent.kind == Value::Kind::List ? parent.items.back() : parent.members.back().value;
}

}  // namespace elbowroom
