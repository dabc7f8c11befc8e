#include "api/watch/list_items.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace elbowroom::api {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The bytes that have a meaning inside an item, by context.
enum : std::uint8_t { kInString = 1, kOutside = 2 };
constexpr std::array<std::uint8_t, 256> kMeaning = [] {
  std::array<std::uint8_t, 256> meaning{};
  meaning['"'] = kInString | kOutside;
  meaning['\\'] = kInString;
  for (const char c : {'{', '}', '[', ']'}) meaning[static_cast<unsigned char>(c)] = kOutside;
  return meaning;
}();

}  // namespace

Result<void> ListItems::feed(std::string_view bytes,
                             const std::function<bool(std::string_view)>& f) {
  seen_ += bytes.size();
  if (limits_.before + seen_ > limits_.bytes) {
    return failure(Code::Exhausted,
                   "the list is larger than " + std::to_string(limits_.bytes) + " bytes");
  }
  while (!bytes.empty() && !stopped_) {
    std::size_t plain = plain_at_front_of(bytes);
    // Deep inside an item, a string's quotes are kept like its contents.
    while (brackets_.size() > 2 && !escaped_ && plain < bytes.size() && bytes[plain] == '"') {
      in_string_ = !in_string_;
      ++plain;
      plain += plain_at_front_of(bytes.substr(plain));
    }
    RETURN_IF_ERROR(plain > 0 ? keep(bytes.substr(0, plain)) : take(bytes.front(), f));
    bytes.remove_prefix(std::max<std::size_t>(plain, 1));
  }
  return {};
}

// How many bytes at the front are only kept: nearly all of a list, inside its items.
std::size_t ListItems::plain_at_front_of(std::string_view bytes) const {
  if (brackets_.size() <= 2 || escaped_) return 0;
  const std::uint8_t stops = in_string_ ? kInString : kOutside;
  const auto* const stop =
      std::ranges::find_if(bytes, [stops](unsigned char c) { return (kMeaning[c] & stops) != 0; });
  return static_cast<std::size_t>(stop - bytes.begin());
}

Result<void> ListItems::take(char c, const std::function<bool(std::string_view)>& f) {
  const bool at_item_level = in_items_ && brackets_.size() == 2;
  if (in_string_) {
    RETURN_IF_ERROR(keep({&c, 1}));
    take_in_string(c);
    return {};
  }
  if (at_item_level && c == ',') {
    end_item(f);
    return {};
  }
  if (at_item_level && is_space(c)) return {};
  if (c == '{' || c == '[') return open(c);
  if (c == '}' || c == ']') return close(c, f);
  if (c == '"') {
    in_string_ = true;
    if (brackets_.size() == 1) last_text_.clear();
  }
  if (brackets_.size() == 1) {
    if (c == ':') expects_value_ = true;
    if (c == ',') expects_value_ = false;
  }
  return keep({&c, 1});
}

void ListItems::take_in_string(char c) {
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
    return;
  }
  if (brackets_.size() == 1 && last_text_.size() < 64) last_text_ += c;
}

Result<void> ListItems::open(char c) {
  if (brackets_.size() >= limits_.depth) {
    return failure(Code::Exhausted,
                   "the list is nested more than " + std::to_string(limits_.depth) + " deep");
  }
  const bool is_items = c == '[' && brackets_ == "{" && expects_value_ && last_text_ == "items";
  if (is_items && had_items_) return failure(Code::Invalid, "the list has two members \"items\"");
  RETURN_IF_ERROR(keep({&c, 1}));
  brackets_ += c;
  if (is_items) in_items_ = had_items_ = true;
  return {};
}

Result<void> ListItems::close(char c, const std::function<bool(std::string_view)>& f) {
  if (brackets_.empty() || (brackets_.back() == '{') != (c == '}')) {
    return failure(Code::Invalid, "the list's brackets do not match");
  }
  if (in_items_ && brackets_.size() == 2) {
    end_item(f);
    in_items_ = false;
  }
  brackets_.pop_back();
  return keep({&c, 1});
}

Result<void> ListItems::keep(std::string_view bytes) {
  std::string& place = in_items_ ? item_ : head_;
  const std::size_t limit = in_items_ ? limits_.item_bytes : limits_.head_bytes;
  if (bytes.size() > limit - place.size()) {
    return failure(Code::Exhausted, (in_items_ ? "an item of the list is larger than "
                                               : "the head of the list is larger than ") +
                                        std::to_string(limit) + " bytes");
  }
  place += bytes;
  return {};
}

void ListItems::end_item(const std::function<bool(std::string_view)>& f) {
  if (!item_.empty() && !stopped_ && !f(item_)) stopped_ = true;
  item_.clear();
}

Result<std::string> ListItems::head() const {
  if (head_.empty() || !brackets_.empty() || in_string_) {
    return failure(Code::Invalid, "the list ends in the middle");
  }
  return head_;
}

}  // namespace elbowroom::api
