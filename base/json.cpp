// Parses JSON through RapidJSON's SAX interface, which reads a pod at two thirds of nlohmann's cost
// (docs/decisions/0015-json-by-rapidjson.md).
#ifdef __SSE2__
// It searches for the end of a string 16 bytes at a time. That lets some control characters pass,
// which checked_text() has already rejected.
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/reader.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/document_tree.h"
#include "base/json_filter.h"
#include "base/utf8.h"

// The parser must not work on a copy of the stream: the callbacks read the stream's position.
template <>
struct rapidjson::StreamTraits<rapidjson::InsituStringStream> {
  enum { copyOptimization = 0 };
};

namespace elbowroom {
namespace {

using Stream = rapidjson::InsituStringStream;
using rapidjson::SizeType;

constexpr std::size_t kBlock = 16;  // how far the parser may read past the end

// A copy that the parser reads and overwrites: strings are decoded in place.
std::string scratch_of(std::string_view text) {
  std::string scratch;
  scratch.reserve(text.size() + kBlock);
  scratch.append(text).append(kBlock, '\0');
  return scratch;
}

constexpr std::size_t kDeepest = 20'000;  // Go: 10,000

constexpr std::size_t kSafeDigits = 300;  // a number with so many digits and no exponent is finite

// Receives the events of one document after another and builds their trees. Returning false stops
// the parser.
class Sax : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Sax> {
 public:
  Sax(std::string_view text, const DocumentLimits& limits, Stream& stream,
      const JsonFilter* json_filter = nullptr)
      : tree_(limits), text_(text), stream_(stream), json_filter_(json_filter) {}

  std::optional<Error>& error() { return error_; }
  std::optional<Value> take_root() { return tree_.take_root(); }
  std::optional<Value> take_begun() { return tree_.take_begun(); }
  [[nodiscard]] Error error_there(std::size_t offset, std::string_view what) {
    return error_at(position(text_.data() + offset), what);
  }

  bool Null() { return leaves_out() || add(Value::Kind::Null, "", back_by(4)); }
  bool Bool(bool value) {
    return leaves_out() || add(Value::Kind::Bool, value ? "true" : "false", back_by(value ? 4 : 5));
  }
  // The pointer that the library passes points behind the digits.
  bool RawNumber(const char* /*behind*/, SizeType length, bool /*copy*/) {
    if (leaves_out()) return true;
    const std::string_view text(here() - static_cast<std::ptrdiff_t>(length), length);
    const Position at = back_by(length);
    const bool may_be_huge =
        length > kSafeDigits || text.find_first_of("eE") != std::string_view::npos;
    if (may_be_huge && std::isinf(std::strtod(std::string(text).c_str(), nullptr))) {
      return keep(error_at(at, kTooBig));
    }
    return add(Value::Kind::Number, text, at);
  }
  bool String(const char* text, SizeType length, bool /*copy*/) {
    if (leaves_out()) return true;
    const std::optional<Position> at = string_start({text, length});
    return at && add(Value::Kind::String, {text, length}, *at);
  }
  bool Key(const char* text, SizeType length, bool /*copy*/) {
    if (json_filter_ != nullptr && drops({text, length})) return true;
    const std::optional<Position> at = string_start({text, length});
    if (at) tree_.key({text, length}, *at);
    return at.has_value();
  }
  bool StartObject() { return open(Value::Kind::Map); }
  bool StartArray() { return open(Value::Kind::List); }
  bool EndObject(SizeType /*count*/) { return close(); }
  bool EndArray(SizeType /*count*/) { return close(); }

  static constexpr std::string_view kTooBig = "a number above 2^63-1";

  // For a parser that is not recursive.
  void allow_depth(std::size_t left_out) { depth_left_out_ = left_out; }

 private:
  bool keep(std::optional<Error> error) {
    error_ = std::move(error);
    return !error_;
  }
  bool add(Value::Kind kind, std::string_view text, Position at) {
    return keep(tree_.scalar(kind, text, at));
  }
  bool open(Value::Kind kind) {
    if (json_filter_ == nullptr) return keep(tree_.open(kind, back_by(1)));
    if (dropped_ > 0 || drops_next_ || is_item_too_many()) {
      drops_next_ = false;
      // This limit does not protect the tree: the parser recurses into the value.
      if (places_.size() + ++dropped_ <= depth_left_out_) return true;
      return keep(error_at(back_by(1),
                           "nested more than " + std::to_string(depth_left_out_) + " levels deep"));
    }
    const bool is_handed_on = is_beyond_ && !places_.empty();
    is_beyond_ = false;
    const JsonFilter::Place place = place_of_next();
    std::size_t* const budget = budget_at(place);
    places_.push_back({.place = place,
                       .is_list = kind == Value::Kind::List,
                       .is_handed_on = is_handed_on,
                       .most = kind == Value::Kind::List ? json_filter_->most_items(place)
                                                         : json_filter_->most_members(place),
                       .budget = budget});
    return keep(tree_.open(kind, back_by(1)));
  }
  bool close() {
    if (dropped_ > 0) {
      --dropped_;
      return true;
    }
    if (json_filter_ == nullptr) return keep(tree_.close());
    const Open closed = places_.back();
    places_.pop_back();
    if (!keep(tree_.close())) return false;
    if (closed.is_handed_on) json_filter_->hand_on(closed.place, tree_.take_last_item());
    return true;
  }

  // Whether the next value is an item beyond its list's limit, and is left out. Records an item
  // that is to be handed on.
  bool is_item_too_many() {
    if (places_.empty() || !places_.back().is_list) return false;
    Open& list = places_.back();
    if (list.count < list.most) {
      ++list.count;
      return !affords(list.budget);
    }
    is_beyond_ = json_filter_->hands_on(list.place);
    if (!is_beyond_) json_filter_->left_out(list.place);
    return !is_beyond_;
  }

  // The outermost budget applies.
  [[nodiscard]] std::size_t* budget_at(JsonFilter::Place place) const {
    const bool is_inside = !places_.empty() && places_.back().budget != nullptr;
    return is_inside ? places_.back().budget : json_filter_->budget(place);
  }
  static bool affords(std::size_t* budget) {
    if (budget == nullptr) return true;
    if (*budget == 0) return false;
    --*budget;
    return true;
  }

  // The place of the next value: after a key, the key's; for an item, the list's.
  JsonFilter::Place place_of_next() {
    if (member_ != nullptr) return std::exchange(member_, nullptr);
    return places_.empty() ? json_filter_->root() : places_.back().place;
  }
  // Whether the current scalar is left out of the tree.
  bool leaves_out() {
    member_ = nullptr;
    if (dropped_ > 0 || std::exchange(drops_next_, false)) return true;
    if (json_filter_ == nullptr || !is_item_too_many()) {
      // Only mappings are handed on. Any other item stays in the list, which its reader checks.
      is_beyond_ = false;
      return false;
    }
    return true;
  }
  // Whether this key and its value are left out of the tree.
  bool drops(std::string_view key) {
    if (dropped_ > 0) return true;
    Open& map = places_.back();
    member_ = json_filter_->member(map.place, key);
    drops_next_ = member_ == nullptr;
    if (drops_next_) return true;
    const bool is_too_many = map.count++ >= map.most;
    if (is_too_many) json_filter_->left_out(map.place);
    if (is_too_many || !affords(budget_at(member_))) {
      member_ = nullptr;
      drops_next_ = true;
    }
    return drops_next_;
  }

  // The parser's position.
  [[nodiscard]] const char* here() { return text_.data() + stream_.Tell(); }
  Position back_by(std::size_t length) {
    return position(here() - static_cast<std::ptrdiff_t>(length));
  }

  // The parser has just read the closing quote; quotes inside are preceded by a backslash. Returns
  // nothing for half of a surrogate pair, which is not a character.
  std::optional<Position> string_start(std::string_view value) {
    const char* const closing = here() - 1;
    if (!has_backslash_) return position(closing - value.size() - 1);
    const char* at = closing;
    for (;;) {
      --at;
      if (*at != '"') continue;
      const char* before = at;
      while (before > text_.data() && before[-1] == '\\') --before;
      if ((at - before) % 2 == 0) break;
    }
    const bool has_escapes = static_cast<std::size_t>(closing - at - 1) != value.size();
    const Position start = position(at);
    if (has_escapes && first_invalid_utf8(value) != value.size()) {
      error_ = error_at(start, "not JSON: half of a surrogate pair");
      return std::nullopt;
    }
    return start;
  }

  // Tokens come in order, so lines are counted once over the whole text.
  Position position(const char* at) {
    for (; line_end_ < at; ++line_) {
      line_start_ = line_end_ + 1;
      line_end_ = end_of(line_start_);
    }
    return {line_, static_cast<std::uint32_t>(at - line_start_ + 1)};
  }

  // The end of the line that begins there: its newline, or the end of the text.
  [[nodiscard]] const char* end_of(const char* line) const {
    const char* const end = text_.data() + text_.size();
    const auto left = static_cast<std::size_t>(end - line);
    const void* found = left == 0 ? nullptr : std::memchr(line, '\n', left);
    return found == nullptr ? end : static_cast<const char*>(found);
  }

  DocumentTree tree_;
  std::string_view text_;
  const bool has_backslash_ = text_.find('\\') != std::string_view::npos;
  Stream& stream_;
  const JsonFilter* const json_filter_;
  // An open value that becomes part of the tree, or is handed on.
  struct Open {
    JsonFilter::Place place = nullptr;
    bool is_list = false;
    bool is_handed_on = false;
    std::size_t most = JsonFilter::kNoLimit;  // items, or members
    std::size_t count = 0;                    // so far
    std::size_t* budget = nullptr;            // of the values inside
  };
  std::vector<Open> places_;
  bool is_beyond_ = false;              // the current item is to be handed on
  JsonFilter::Place member_ = nullptr;  // of the value after the last key
  bool drops_next_ = false;             // that value is left out
  std::size_t dropped_ = 0;             // depth inside a value that is left out
  std::size_t depth_left_out_ = tree_.limits().depth;
  std::uint32_t line_ = 1;
  const char* line_start_ = text_.data();
  const char* line_end_ = end_of(line_start_);
  std::optional<Error> error_;
};

constexpr std::string_view kSpace = " \t\r\n";

// Parses one document at the stream's position; with `alone`, it must be all the remaining text.
template <bool alone, unsigned more = rapidjson::kParseNoFlags>
Result<Value> parse_document(Stream& stream, Sax& sax) {
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseInsituFlag | more |
      (alone ? rapidjson::kParseNoFlags : rapidjson::kParseStopWhenDoneFlag);
  rapidjson::Reader reader;
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, sax);
  if (sax.error()) return std::unexpected(std::move(*sax.error()));
  if (parsed.IsError()) {
    const bool is_huge = parsed.Code() == rapidjson::kParseErrorNumberTooBig;
    return std::unexpected(sax.error_there(parsed.Offset(), is_huge ? Sax::kTooBig : "not JSON"));
  }
  return *sax.take_root();
}

}  // namespace

Result<std::vector<Value>> parse_json_documents(std::string_view text,
                                                const DocumentLimits& limits) {
  ASSIGN_OR_RETURN(const std::string_view checked, checked_text(text, limits));
  std::string scratch = scratch_of(checked);
  Stream stream(scratch.data());
  Sax sax(checked, limits, stream);
  std::vector<Value> documents;
  for (;;) {
    const std::size_t next = checked.find_first_not_of(kSpace, stream.Tell());
    if (next == std::string_view::npos && !documents.empty()) return documents;
    // The parser looks ahead, so the end of a bare word or number is uncertain.
    if (next != std::string_view::npos && checked[next] != '{' && checked[next] != '[') {
      return std::unexpected(sax.error_there(next, "not JSON: expected { or ["));
    }
    ASSIGN_OR_RETURN(Value document, parse_document<false>(stream, sax));
    documents.push_back(std::move(document));
  }
}

Result<Value> parse_json(std::string_view text, const DocumentLimits& limits) {
  ASSIGN_OR_RETURN(const std::string_view checked, checked_text(text, limits));
  std::string scratch = scratch_of(checked);
  Stream stream(scratch.data());
  Sax sax(checked, limits, stream);
  return parse_document<true>(stream, sax);
}

Result<Value> parse_json(std::string_view text, const DocumentLimits& limits,
                         const JsonFilter& json_filter) {
  ASSIGN_OR_RETURN(const std::string_view checked, checked_text(text, limits));
  std::string scratch = scratch_of(checked);
  Stream stream(scratch.data());
  Sax sax(checked, limits, stream, &json_filter);
  return parse_document<true>(stream, sax);
}

PartOfJson parse_begun_json(std::string_view text, const DocumentLimits& limits,
                            const JsonFilter& json_filter) {
  text = text.substr(0, limits.bytes);
  std::string scratch = scratch_of(text);
  Stream stream(scratch.data());
  Sax sax(text, limits, stream, &json_filter);
  sax.allow_depth(kDeepest);
  auto whole = parse_document<true, rapidjson::kParseIterativeFlag>(stream, sax);
  if (whole) return {.value = *std::move(whole)};
  return {.value = sax.take_begun().value_or(Value{}), .error = std::move(whole).error()};
}

Result<Value> parse_deep_json(std::string_view text, const DocumentLimits& limits,
                              const JsonFilter& json_filter) {
  ASSIGN_OR_RETURN(const std::string_view checked, checked_text(text, limits));
  std::string scratch = scratch_of(checked);
  Stream stream(scratch.data());
  Sax sax(checked, limits, stream, &json_filter);
  sax.allow_depth(kDeepest);
  return parse_document<true, rapidjson::kParseIterativeFlag>(stream, sax);
}

}  // namespace elbowroom
