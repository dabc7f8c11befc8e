// Parses only a part of a JSON document. The rest is parsed as JSON but not checked: it may contain
// a duplicate key, or half a surrogate pair.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace elbowroom {

// Decides which members of a document become part of its tree.
class JsonFilter {
 public:
  // The place of a value, in the filter's own terms; nullptr: the value is left out.
  using Place = const void*;

  JsonFilter() = default;
  virtual ~JsonFilter() = default;
  JsonFilter(const JsonFilter&) = delete;
  JsonFilter& operator=(const JsonFilter&) = delete;

  // The place of the document itself; not nullptr.
  [[nodiscard]] virtual Place root() const = 0;
  // The place of the member with that key in a mapping at `of`. Items of a list have the list's
  // place.
  [[nodiscard]] virtual Place member(Place of, std::string_view key) const = 0;

  // How many items of a list, or members of a mapping, at that place become part of the tree.
  [[nodiscard]] virtual std::size_t most_items(Place /*of*/) const { return kNoLimit; }
  [[nodiscard]] virtual std::size_t most_members(Place /*of*/) const { return kNoLimit; }
  // Whether items beyond the limit are still built, and handed on one by one.
  [[nodiscard]] virtual bool hands_on(Place /*of*/) const { return false; }
  virtual void hand_on(Place /*of*/, const Value& /*item*/) const {}
  virtual void left_out(Place /*of*/) const {}
  // How many values at that place, at any depth, may still become part of the tree. Each value
  // decrements it; values beyond it are left out without notice. nullptr: no limit. It applies to
  // everything inside.
  [[nodiscard]] virtual std::size_t* budget(Place /*of*/) const { return nullptr; }

  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
};

// parse_json() of document.h without what the filter leaves out. What is left out counts towards
// the limits of bytes and depth, but not of values.
[[nodiscard]] Result<Value> parse_json(std::string_view text, const DocumentLimits& limits,
                                       const JsonFilter& json_filter);

// The same, but slower. What is left out may be nested twice as deep as Go allows for JSON.
[[nodiscard]] Result<Value> parse_deep_json(std::string_view text, const DocumentLimits& limits,
                                            const JsonFilter& json_filter);

// What could be read of a document.
struct PartOfJson {
  Value value{};                 // Null where not even its first byte could be read
  std::optional<Error> error{};  // why it ends before the document does; none: it is whole
};
// As parse_deep_json(), for text that may be cut off or broken: all that comes before the error is
// in the value. What is left out may hold bytes that are not UTF-8, and control characters; so may
// the strings of the value.
[[nodiscard]] PartOfJson parse_begun_json(std::string_view text, const DocumentLimits& limits,
                                          const JsonFilter& json_filter);

}  // namespace elbowroom
