// JSON of which only a part is wanted. What is left out is read as JSON all the same, but not
// looked at: it may hold a key twice, or half a character.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace elbowroom {

// Tells which members of a document become part of its tree.
class JsonFilter {
 public:
  // Where a value stands, in the sieve's own words; nullptr: it is left out.
  using Place = const void*;

  JsonFilter() = default;
  virtual ~JsonFilter() = default;
  JsonFilter(const JsonFilter&) = delete;
  JsonFilter& operator=(const JsonFilter&) = delete;

  // Of the document itself; not nullptr.
  [[nodiscard]] virtual Place root() const = 0;
  // Of the member of that key in a mapping there. The items of a list stand where the list does.
  [[nodiscard]] virtual Place member(Place of, std::string_view key) const = 0;

  // How many items of a list there, or members of a mapping, become part of the tree.
  [[nodiscard]] virtual std::size_t most_items(Place /*of*/) const { return kNoLimit; }
  [[nodiscard]] virtual std::size_t most_members(Place /*of*/) const { return kNoLimit; }
  // Whether the items beyond are built all the same, and handed on one by one.
  [[nodiscard]] virtual bool hands_on(Place /*of*/) const { return false; }
  virtual void hand_on(Place /*of*/, const Value& /*item*/) const {}
  virtual void left_out(Place /*of*/) const {}
  // How many values there, at any depth, still become part of the tree, one by one counted down as
  // they do, the others being left out untold; nullptr: any number. It holds for all that is
  // inside.
  [[nodiscard]] virtual std::size_t* budget(Place /*of*/) const { return nullptr; }

  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
};

// parse_json() of document.h without what the sieve leaves out. What is left out counts towards
// the limits of bytes and of depth, not towards that of values.
[[nodiscard]] Result<Value> parse_json(std::string_view text, const DocumentLimits& limits,
                                       const JsonFilter& json_filter);

// The same, slower, where what is left out may be nested twice as deep as Go reads JSON.
[[nodiscard]] Result<Value> parse_deep_json(std::string_view text, const DocumentLimits& limits,
                                            const JsonFilter& json_filter);

}  // namespace elbowroom
