// Labels as numbers: each text that is a key or a value of some label has a number, so that fifty
// thousand pods with labels of their own take little memory, and a selector is compared without
// comparing texts. Number 0 is no text. A number is valid as long as it is held.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/selector.h"
#include "policy/placement/hashed_map.h"

namespace elbowroom::policy {

struct LabelPair {
  std::uint32_t key = 0;
  std::uint32_t value = 0;

  friend auto operator<=>(const LabelPair&, const LabelPair&) = default;
};
using LabelPairs = std::vector<LabelPair>;  // by key, each key once

class LabelNumbers {
 public:
  // The text is held once more.
  std::uint32_t hold(std::string_view text);
  LabelPairs hold(const Labels& labels);
  void let_go(std::uint32_t text);
  void let_go(const LabelPairs& labels);

  // 0: it is not held.
  [[nodiscard]] std::uint32_t find(std::string_view text) const;

 private:
  void sweep();

  HashedMap<std::string, std::uint32_t> numbers_{};
  std::vector<std::uint32_t> held_{0};  // how often, by number
  std::vector<std::uint32_t> free_{};
  std::size_t unused_ = 0;  // texts that nobody holds and that are still stored
};

// A selector whose texts are numbers. It is valid until texts are held or let go of.
class NumberedSelector {
 public:
  NumberedSelector(const LabelNumbers& numbers, const LabelSelector& selector);

  [[nodiscard]] bool matches(const LabelPairs& labels) const;
  // True when a text that it requires is in no label.
  [[nodiscard]] bool matches_nothing() const { return matches_nothing_; }
  // Labels that everything has that it matches.
  [[nodiscard]] const std::vector<LabelPair>& required() const { return required_; }

 private:
  struct Expression {
    std::uint32_t key = 0;
    LabelOperator op = LabelOperator::Exists;
    std::vector<std::uint32_t> values{};
  };

  std::vector<LabelPair> required_{};
  std::vector<Expression> expressions_{};
  bool matches_nothing_ = false;
};

}  // namespace elbowroom::policy
