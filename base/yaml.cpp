// Parses YAML through yaml-cpp's event interface.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/document_tree.h"
#include "base/text.h"

namespace elbowroom {
namespace {

// yaml-cpp's scanner keeps a whole flow collection as tokens before it releases the first, some
// twenty times the text. If it has read this far since its last event, the input ends here for it.
constexpr std::size_t kLookaheadBytes = std::size_t{2} << 20;

constexpr std::string_view kYamlTag = "tag:yaml.org,2002:";

Position position_of(const YAML::Mark& mark) {
  return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

// Provides the text in blocks, and no further than kLookaheadBytes past the last event.
class Source : public std::streambuf {
 public:
  explicit Source(std::string_view text) : text_(text) {}

  // Called at each event: everything provided so far counts as used.
  void used() { since_event_ = 0; }
  [[nodiscard]] bool cut() const { return cut_; }

 protected:
  int_type underflow() override {
    if (given_ == text_.size()) return traits_type::eof();
    if (since_event_ > kLookaheadBytes) {
      cut_ = true;
      return traits_type::eof();
    }
    const std::size_t size = std::min<std::size_t>(4096, text_.size() - given_);
    std::copy_n(text_.data() + given_, size, block_.data());
    given_ += size;
    since_event_ += size;
    setg(block_.data(), block_.data(), block_.data() + size);
    return traits_type::to_int_type(block_[0]);
  }

 private:
  std::string_view text_;
  std::size_t given_ = 0;
  std::size_t since_event_ = 0;
  bool cut_ = false;
  std::array<char, 4096> block_{};
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

std::size_t count_digits(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

// The numbers of YAML's core schema: integers, 0o17, 0x1F, 1.5e3, .inf and .nan.
bool is_number(std::string_view text) {
  if (text.starts_with("0x")) {
    const auto digits = text.substr(2);
    return !digits.empty() &&
           digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  }
  if (text.starts_with("0o")) {
    const auto digits = text.substr(2);
    return !digits.empty() && digits.find_first_not_of("01234567") == std::string_view::npos;
  }
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  text = without_sign(text);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return true;

  const std::size_t whole = count_digits(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = count_digits(text);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text = without_sign(text.substr(1));
  return !text.empty() && count_digits(text) == text.size();
}

bool is_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// "true", "false", or "" for anything else.
std::string_view truth_of(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return "true";
  if (text == "false" || text == "False" || text == "FALSE") return "false";
  return "";
}

Value plain_scalar(std::string_view text, Position at) {
  if (is_null(text)) return {.kind = Value::Kind::Null, .at = at};
  if (const auto truth = truth_of(text); !truth.empty()) {
    return {.kind = Value::Kind::Bool, .text = std::string(truth), .at = at};
  }
  const auto kind = is_number(text) ? Value::Kind::Number : Value::Kind::String;
  return {.kind = kind, .text = std::string(text), .at = at};
}

// Receives the events of a stream and builds its trees. Errors leave as yaml-cpp's own exception,
// the only way to stop its parser; parse_yaml below catches it.
class Events : public YAML::EventHandler {
 public:
  Events(std::string_view text, Source& source, const DocumentLimits& limits)
      : text_(text), source_(source), tree_(limits) {}

  std::optional<Value> take_root() { return tree_.take_root(); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    source_.used();
    check_separated(mark);
    document_ = static_cast<std::size_t>(std::max(mark.pos, 0));
    ++documents_;
    anchors_.clear();
    unfinished_.clear();
  }
  void OnDocumentEnd() override { source_.used(); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    source_.used();
    scalar({.kind = Value::Kind::Null, .at = position_of(mark)}, anchor, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    source_.used();
    const Position at = position_of(mark);
    if (tag == "?" && tree_.wants_key() && text == "<<") return keep(tree_.merge_key(at));
    if (tag == "?" || tag.empty()) return scalar(plain_scalar(text, at), anchor, mark);
    const std::string string_tag = std::string(kYamlTag) + "str";
    if (tag == "!" || tag == string_tag) {
      return scalar({.kind = Value::Kind::String, .text = text, .at = at}, anchor, mark);
    }
    scalar(tagged(tag, text, mark), anchor, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    source_.used();
    const auto at = anchors_.find(anchor);
    if (at == anchors_.end()) fail(mark, "an alias refers to itself");
    const bool scalar_value =
        at->second.kind != Value::Kind::List && at->second.kind != Value::Kind::Map;
    if (tree_.wants_key()) return key_from(at->second, mark);
    check_depth(at->second, mark);
    if (!scalar_value) keep(tree_.charge(extent_of(at->second), position_of(mark)));
    keep(tree_.add(Value(at->second)));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Value::Kind::List, "seq", mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Value::Kind::Map, "map", mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] static void fail(const YAML::Mark& mark, const std::string& what) {
    throw YAML::ParserException(mark, what);
  }
  // The tree's errors contain their own position, so the exception's is not used for them.
  static void keep(std::optional<Error> error) {
    if (!error) return;
    throw YAML::ParserException(YAML::Mark::null_mark(), error->message);
  }

  // yaml-cpp reads anything that follows a finished root as another document; only --- and ... end
  // one.
  void check_separated(const YAML::Mark& mark) {
    if (documents_ == 0) return;
    const auto at =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
    if (text_.substr(at).starts_with("---")) return;
    const std::string_view between = text_.substr(document_, at - std::min(at, document_));
    if (between.find("\n...") != std::string_view::npos || between.starts_with("...")) return;
    fail(mark, "text after the end of a document: separate documents by a line of ---");
  }

  static Value tagged(const std::string& tag, const std::string& text, const YAML::Mark& mark) {
    const Value plain = plain_scalar(text, position_of(mark));
    const auto is = [&](std::string_view name) {
      return tag.starts_with(kYamlTag) && std::string_view(tag).substr(kYamlTag.size()) == name;
    };
    const bool fits = (is("null") && plain.kind == Value::Kind::Null) ||
                      (is("bool") && plain.kind == Value::Kind::Bool) ||
                      ((is("int") || is("float")) && plain.kind == Value::Kind::Number);
    if (!fits) fail(mark, "unknown tag, or a value that is not of it: " + tag.substr(0, 100));
    return plain;
  }

  void key_from(const Value& value, const YAML::Mark& mark) {
    const bool usable = value.kind == Value::Kind::String || value.kind == Value::Kind::Number ||
                        value.kind == Value::Kind::Bool;
    if (!usable) fail(mark, "a key that is no string");
    keep(tree_.charge({0, value.text.size()}, position_of(mark)));
    tree_.key(value.text, position_of(mark));
  }

  void scalar(Value value, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (anchor != 0) remember(anchor, value, mark);
    if (tree_.wants_key()) return key_from(value, mark);
    keep(tree_.add(std::move(value)));
  }

  void remember(YAML::anchor_t anchor, const Value& value, const YAML::Mark& mark) {
    keep(tree_.charge(extent_of(value), position_of(mark)));
    anchors_.insert_or_assign(anchor, value);
  }

  void open(Value::Kind kind, std::string_view name, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    source_.used();
    const bool known = tag.empty() || tag == "?" || tag == "!" ||
                       (tag.starts_with(kYamlTag) && tag.substr(kYamlTag.size()) == name);
    if (!known) fail(mark, "unknown tag: " + tag.substr(0, 100));
    if (tree_.wants_key()) fail(mark, "a key that is no string");
    keep(tree_.open(kind, position_of(mark)));
    unfinished_.push_back({anchor, mark});
  }

  void close() {
    source_.used();
    keep(tree_.close());
    const auto [anchor, mark] = unfinished_.back();
    unfinished_.pop_back();
    if (anchor != 0) remember(anchor, tree_.last(), mark);
  }

  // An alias may be nested deeper than its anchor.
  void check_depth(const Value& value, const YAML::Mark& mark) {
    if (tree_.depth() + depth_of(value) > tree_.limits().depth) {
      fail(mark, "nested more than " + std::to_string(tree_.limits().depth) + " levels deep");
    }
  }

  static std::size_t depth_of(const Value& value) {
    std::size_t below = 0;
    for (const Value& item : value.items) below = std::max(below, depth_of(item));
    for (const Member& member : value.members) below = std::max(below, depth_of(member.value));
    const bool nests = value.kind == Value::Kind::List || value.kind == Value::Kind::Map;
    return below + (nests ? 1 : 0);
  }

  std::string_view text_;
  Source& source_;
  DocumentTree tree_;
  std::size_t document_ = 0;
  std::size_t documents_ = 0;
  std::map<YAML::anchor_t, Value> anchors_;
  std::vector<std::pair<YAML::anchor_t, YAML::Mark>> unfinished_;
};

Error error_from(const YAML::Exception& caught, const Source& source) {
  if (source.cut()) {
    return error_at(position_of(caught.mark),
                    "a value longer than 2 MiB: write it as JSON, or in block style");
  }
  if (caught.mark.is_null()) return {Code::Invalid, sanitize_line(caught.msg), {}};
  return error_at(position_of(caught.mark), caught.msg);
}

}  // namespace

Result<std::vector<Value>> parse_yaml(std::string_view text, const DocumentLimits& limits) {
  ASSIGN_OR_RETURN(const std::string_view checked, checked_text(text, limits));
  Source source(checked);
  std::istream stream(&source);
  std::vector<Value> documents;
  try {
    Events events(checked, source, limits);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
      std::optional<Value> root = events.take_root();
      if (root && root->kind != Value::Kind::Null) documents.push_back(std::move(*root));
    }
  } catch (const YAML::Exception& caught) {
    return std::unexpected(error_from(caught, source));
  }
  if (source.cut()) {
    return failure(Code::Invalid,
                   "line 1, column 1: a value longer than 2 MiB: write it as JSON, or in block "
                   "style");
  }
  return documents;
}

}  // namespace elbowroom
