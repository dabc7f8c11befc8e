// The tree of values of one document while it is being parsed, and the limits it must keep. It
// belongs to document.h's two parsers; everybody else uses document.h.
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

// The text without a byte order mark. Invalid where it is longer than limits.bytes, not UTF-8, or
// holds a control character other than tab, line feed and carriage return.
[[nodiscard]] Result<std::string_view> checked_text(std::string_view text,
                                                    const DocumentLimits& limits);

// How much of the limits a value takes up.
struct Extent {
  std::size_t values = 0;
  std::size_t bytes = 0;  // of its texts and keys
};
[[nodiscard]] Extent extent_of(const Value& value);

// Built from outside in: open() and close() enclose what stands between them. Each call answers
// what is wrong, or nothing; after an error the tree must not be used.
class DocumentTree {
 public:
  explicit DocumentTree(const DocumentLimits& limits);

  [[nodiscard]] std::optional<Error> open(Value::Kind kind, Position at);
  // Closes what was opened last; a Map with a key twice is an error.
  [[nodiscard]] std::optional<Error> close();
  // The key of the value to come. Only inside a Map.
  void key(std::string_view text, Position at);
  [[nodiscard]] std::optional<Error> scalar(Value::Kind kind, std::string_view text, Position at);
  // The same, or a whole copied tree whose extent was charged before.
  [[nodiscard]] std::optional<Error> add(Value&& value);

  // Counts against the limits what is copied (aliases, anchors).
  [[nodiscard]] std::optional<Error> charge(Extent extent, Position at);

  // True where the next thing in the innermost open value is a key.
  [[nodiscard]] bool wants_key() const;
  // How many values are open.
  [[nodiscard]] std::size_t depth() const { return open_.size(); }
  [[nodiscard]] const DocumentLimits& limits() const { return limits_; }

  // The finished document, if there is one; the tree is ready for the next document, and goes on
  // counting.
  [[nodiscard]] std::optional<Value> take_root();
  // The item that was finished last, out of the list that is open. Requires that there is one.
  [[nodiscard]] Value take_last_item();
  // The value that was finished last; lives until the next call. Requires that there is one.
  [[nodiscard]] const Value& last() const;

 private:
  struct Open {
    Value::Kind kind;
    Position at;
    std::size_t first;     // of its members or items, in the stack of these
    bool has_key = false;  // that waits for its value
  };

  // Where the value at hand belongs.
  [[nodiscard]] Value& next();

  DocumentLimits limits_;
  std::vector<Open> open_;
  // What the open values hold so far, the innermost's last: so that what is closed gets its members
  // at once, into a vector of the right size.
  std::vector<Member> members_;
  std::vector<Value> items_;
  std::optional<Value> root_;
  Extent used_;
};

}  // namespace elbowroom
