// The tree of values of one document while it is parsed, with its limits. It is internal to
// document.h's two parsers; all other code uses document.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/document.h"

namespace elbowroom {

// "line 3, column 7: WHAT", as an Error of code Invalid. WHAT may quote the input: it is sanitized.
[[nodiscard]] Error error_at(Position at, std::string_view what);

// The text without a byte order mark. Invalid if it is longer than limits.bytes, is not UTF-8, or
// contains a control character other than tab, line feed and carriage return.
[[nodiscard]] Result<std::string_view> checked_text(std::string_view text,
                                                    const DocumentLimits& limits);

// How much of the limits a value uses.
struct Extent {
  std::size_t values = 0;
  std::size_t bytes = 0;  // of its texts and keys
};
[[nodiscard]] Extent extent_of(const Value& value);

// Built from outside in: open() and close() enclose the values between them. Each call returns an
// error or nothing. After an error the tree must not be used.
class DocumentTree {
 public:
  explicit DocumentTree(const DocumentLimits& limits);

  [[nodiscard]] std::optional<Error> open(Value::Kind kind, Position at);
  // Closes the value that was opened last. A Map with a duplicate key is an error, and a merge key
  // whose value is neither a Map nor a List of Maps.
  [[nodiscard]] std::optional<Error> close();
  // The key of the next value. Only inside a Map.
  void key(std::string_view text, Position at);
  // The next value is a Map, or a List of Maps, whose members the open Map gets where it has none
  // of that key itself; of several Maps the first counts. Only inside a Map. The second one is an
  // error.
  [[nodiscard]] std::optional<Error> merge_key(Position at);
  [[nodiscard]] std::optional<Error> scalar(Value::Kind kind, std::string_view text, Position at);
  // Adds a value, or a whole copied tree whose extent is already charged.
  [[nodiscard]] std::optional<Error> add(Value&& value);

  // Charges copies (aliases, anchors) against the limits.
  [[nodiscard]] std::optional<Error> charge(Extent extent, Position at);

  // True if the innermost open value expects a key next.
  [[nodiscard]] bool wants_key() const;
  // The number of open values.
  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  [[nodiscard]] const DocumentLimits& limits() const { return limits_; }

  // The finished document, if any. The tree is then ready for the next document, and keeps its
  // counts.
  [[nodiscard]] std::optional<Value> take_root();
  // The document as far as it has come, if it has begun. Afterwards the tree must not be used.
  [[nodiscard]] std::optional<Value> take_begun();
  // Removes and returns the last finished item of the open list. Requires that there is one.
  [[nodiscard]] Value take_last_item();
  // The last finished value; valid until the next call. Requires that there is one.
  [[nodiscard]] const Value& last() const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Open {
    Value::Kind kind;
    Position at;
    std::size_t first;           // index of its first member or item on the stack
    bool has_key = false;        // a key waits for its value
    std::size_t merged = kNone;  // index of the member under its merge key
  };

  // The place for the next value.
  [[nodiscard]] Value& next();

  DocumentLimits limits_;
  std::vector<Open> open_;
  // The contents of the open values so far, the innermost last. A closed value gets its members at
  // once, in a vector of the right size.
  std::vector<Member> members_;
  std::vector<Value> items_;
  std::optional<Value> root_;
  Extent used_;
};

}  // namespace elbowroom
