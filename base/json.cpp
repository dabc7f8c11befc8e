// JSON through nlohmann's SAX interface.
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/document.h"
#include "base/tree.h"

namespace elbowroom {
namespace {

// Reads the text and leaves behind how far the lexer has come, which SAX events do not tell.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator() = default;
  CountingIterator(const char* at, const char** consumed) : at_(at), consumed_(consumed) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    *consumed_ = at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_ = nullptr;
  const char** consumed_ = nullptr;
};

bool is_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Receives the events of one document and builds its tree. A false answer stops the parser.
class Sax : public nlohmann::json_sax<nlohmann::json> {
 public:
  Sax(std::string_view text, const DocumentLimits& limits)
      : tree_(limits), text_(text), consumed_(text.data()), marked_(text.data()) {}

  const char** consumed() { return &consumed_; }
  // The rest of the text begins there.
  const char* rest() const { return consumed_; }
  void skip_to(const char* at) { consumed_ = at; }
  Error error_at_rest(std::string_view what) { return error_at(position(consumed_), what); }
  std::optional<Error>& error() { return error_; }
  std::optional<Value> take_root() { return tree_.take_root(); }

  bool null() override { return add({.kind = Value::Kind::Null, .at = back_by(4)}); }
  bool boolean(bool value) override {
    return add({.kind = Value::Kind::Bool,
                .text = value ? "true" : "false",
                .at = back_by(value ? 4 : 5)});
  }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }
  bool string(string_t& value) override {
    return add({.kind = Value::Kind::String, .text = std::move(value), .at = string_start()});
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Value::Kind::Map); }
  bool start_array(std::size_t) override { return open(Value::Kind::List); }
  bool key(string_t& key) override {
    tree_.key(std::move(key), string_start());
    return true;
  }
  bool end_object() override { return keep(tree_.close()); }
  bool end_array() override { return keep(tree_.close()); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& cause) override {
    // 406: the lexer's only complaint about a number that is well-formed.
    const char* what = cause.id == 406 ? "a number above 2^63-1" : "not JSON";
    error_ = error_at(position(consumed_ == text_.data() ? consumed_ : consumed_ - 1), what);
    return false;
  }

 private:
  bool keep(std::optional<Error> error) {
    error_ = std::move(error);
    return !error_;
  }
  bool add(Value value) { return keep(tree_.add(std::move(value))); }
  bool open(Value::Kind kind) { return keep(tree_.open(kind, back_by(1))); }

  // A number ends where the lexer has looked one character further, or at the end of the text.
  bool number() {
    const char* end = consumed_;
    while (end > text_.data() && !is_of_number(end[-1])) --end;
    const char* start = end;
    while (start > text_.data() && is_of_number(start[-1])) --start;
    return add({.kind = Value::Kind::Number, .text = {start, end}, .at = position(start)});
  }

  Position back_by(std::ptrdiff_t length) { return position(consumed_ - length); }

  // The lexer has just taken the closing quote; quotes inside have a backslash before them.
  Position string_start() {
    const char* at = consumed_ - 1;
    for (;;) {
      --at;
      if (*at != '"') continue;
      const char* before = at;
      while (before > text_.data() && before[-1] == '\\') --before;
      if ((at - before) % 2 == 0) return position(at);
    }
  }

  // Tokens come in order, so lines are counted once over the whole text.
  Position position(const char* at) {
    for (; marked_ < at; ++marked_) {
      if (*marked_ == '\n') {
        ++line_;
        line_start_ = marked_ + 1;
      }
    }
    return {line_, static_cast<std::uint32_t>(at - line_start_ + 1)};
  }

  Tree tree_;
  std::string_view text_;
  const char* consumed_;
  const char* marked_;
  const char* line_start_ = text_.data();
  std::uint32_t line_ = 1;
  std::optional<Error> error_;
};

constexpr std::string_view kSpace = " \t\r\n";

// The documents of the text: all of it is one (`single`), or as many as there are brackets closed.
Result<std::vector<Value>> parse_documents(std::string_view text, Sax& sax, bool single) {
  const char* const end = text.data() + text.size();
  std::vector<Value> documents;
  for (;;) {
    const std::string_view rest(sax.rest(), static_cast<std::size_t>(end - sax.rest()));
    const std::size_t skipped = rest.find_first_not_of(kSpace);
    if (!single && skipped == std::string_view::npos && !documents.empty()) return documents;
    if (!single && skipped != std::string_view::npos) {
      sax.skip_to(sax.rest() + skipped);
      // Where a bare word or number ends is not certain: the parser has looked further.
      if (rest[skipped] != '{' && rest[skipped] != '[') {
        return std::unexpected(sax.error_at_rest("not JSON: expected { or ["));
      }
    }
    const bool parsed = nlohmann::json::sax_parse(CountingIterator(sax.rest(), sax.consumed()),
                                                  CountingIterator(end, sax.consumed()), &sax,
                                                  nlohmann::json::input_format_t::json, single);
    if (sax.error()) return std::unexpected(std::move(*sax.error()));
    std::optional<Value> root = sax.take_root();
    if (!parsed || !root) return failure(Code::Invalid, "line 1, column 1: not JSON");
    documents.push_back(std::move(*root));
    if (single) return documents;
  }
}

}  // namespace

Result<std::vector<Value>> parse_json_documents(std::string_view text,
                                                const DocumentLimits& limits) {
  ASSIGN_OR_RETURN(const std::string_view checked, checked_text(text, limits));
  Sax sax(checked, limits);
  return parse_documents(checked, sax, false);
}

Result<Value> parse_json(std::string_view text, const DocumentLimits& limits) {
  ASSIGN_OR_RETURN(const std::string_view checked, checked_text(text, limits));
  Sax sax(checked, limits);
  ASSIGN_OR_RETURN(std::vector<Value> one, parse_documents(checked, sax, true));
  return std::move(one.front());
}

}  // namespace elbowroom
