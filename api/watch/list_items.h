// Extracts the items of a List document while it arrives, so that only one item of a long list is
// in memory. It finds only where items begin and end; the JSON parser checks the items.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

struct ListLimits {
  std::size_t item_bytes = std::size_t{4} << 20;
  std::size_t head_bytes = std::size_t{64} << 10;  // everything except the items
  std::size_t bytes = std::size_t{256} << 20;      // of all pages of the list
  std::size_t before = 0;                          // of the pages before this one
  std::size_t depth = 20'000;                      // Go: 10,000
};

class ListItems {
 public:
  explicit ListItems(ListLimits limits = {}) : limits_(limits) {}

  // Calls f with the text of every complete item; f returns false to stop. Exhausted: a limit;
  // Invalid: mismatched brackets. Then nothing more can be fed.
  [[nodiscard]] Result<void> feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& f);

  // The document with an empty list of items. Invalid: it is incomplete.
  [[nodiscard]] Result<std::string> head() const;

 private:
  [[nodiscard]] Result<void> take(char c, const std::function<bool(std::string_view)>& f);
  [[nodiscard]] Result<void> open(char c);
  [[nodiscard]] Result<void> close(char c, const std::function<bool(std::string_view)>& f);
  void take_in_string(char c);
  [[nodiscard]] Result<void> keep(std::string_view bytes);
  [[nodiscard]] std::size_t plain_at_front_of(std::string_view bytes) const;
  void end_item(const std::function<bool(std::string_view)>& f);

  ListLimits limits_;
  std::size_t seen_ = 0;
  std::string brackets_;  // the open ones, outermost first
  bool in_string_ = false;
  bool escaped_ = false;
  bool in_items_ = false;  // inside the list of items
  bool had_items_ = false;
  bool stopped_ = false;
  bool expects_value_ = false;  // at depth 1, after a colon
  std::string last_text_;       // the last string at depth 1, for the key before a value
  std::string item_;
  std::string head_;
};

}  // namespace elbowroom::api
