#include "policy/placement/label_numbers.h"

#include <algorithm>

namespace elbowroom::policy {
namespace {

// Unused texts are dropped together, once there are more of them than of the others.
constexpr std::size_t kKeptUnused = 1'000;

std::uint32_t value_of(const LabelPairs& labels, std::uint32_t key) {
  const auto at = std::ranges::lower_bound(labels, key, {}, &LabelPair::key);
  return at == labels.end() || at->key != key ? 0 : at->value;
}

}  // namespace

std::uint32_t LabelNumbers::find(std::string_view text) const {
  const std::uint32_t* known = numbers_.find(text);
  return known == nullptr || held_[*known] == 0 ? 0 : *known;
}

std::uint32_t LabelNumbers::hold(std::string_view text) {
  if (const std::uint32_t* known = numbers_.find(text); known != nullptr) {
    if (held_[*known]++ == 0) --unused_;
    return *known;
  }
  auto number = static_cast<std::uint32_t>(held_.size());
  if (free_.empty()) {
    held_.push_back(1);
  } else {
    number = free_.back();
    free_.pop_back();
    held_[number] = 1;
  }
  numbers_[std::string(text)] = number;
  return number;
}

LabelPairs LabelNumbers::hold(const Labels& labels) {
  LabelPairs pairs;
  pairs.reserve(labels.size());
  for (const auto& [key, value] : labels) pairs.push_back({hold(key), hold(value)});
  std::ranges::sort(pairs);
  return pairs;
}

void LabelNumbers::let_go(std::uint32_t text) {
  if (--held_[text] == 0) ++unused_;
  if (unused_ > kKeptUnused + numbers_.size() / 2) sweep();
}

void LabelNumbers::let_go(const LabelPairs& labels) {
  for (const LabelPair& each : labels) {
    let_go(each.key);
    let_go(each.value);
  }
}

void LabelNumbers::sweep() {
  numbers_.erase_if([this](std::uint32_t number) {
    if (held_[number] > 0) return false;
    free_.push_back(number);
    return true;
  });
  unused_ = 0;
}

NumberedSelector::NumberedSelector(const LabelNumbers& numbers, const LabelSelector& selector) {
  const auto require = [&](std::string_view key, std::string_view value) {
    const LabelPair pair{numbers.find(key), numbers.find(value)};
    if (pair.key == 0 || pair.value == 0) matches_nothing_ = true;
    required_.push_back(pair);
  };
  for (const auto& [key, value] : selector.match_labels) require(key, value);
  for (const LabelExpression& each : selector.expressions) {
    if (each.op == LabelOperator::In && each.values.size() == 1) {
      require(each.key, each.values.front());
      continue;
    }
    Expression made{.key = numbers.find(each.key), .op = each.op};
    for (const std::string& value : each.values) {
      if (const std::uint32_t number = numbers.find(value); number != 0) {
        made.values.push_back(number);
      }
    }
    const bool needs_key = each.op == LabelOperator::In || each.op == LabelOperator::Exists;
    if (needs_key && made.key == 0) matches_nothing_ = true;
    expressions_.push_back(std::move(made));
  }
}

bool NumberedSelector::matches(const LabelPairs& labels) const {
  if (matches_nothing_) return false;
  for (const LabelPair& each : required_) {
    if (value_of(labels, each.key) != each.value) return false;
  }
  return std::ranges::all_of(expressions_, [&](const Expression& each) {
    const std::uint32_t value = value_of(labels, each.key);
    const bool listed = value != 0 && std::ranges::find(each.values, value) != each.values.end();
    switch (each.op) {
      case LabelOperator::In:
        return listed;
      case LabelOperator::NotIn:
        return !listed;
      case LabelOperator::Exists:
        return value != 0;
      case LabelOperator::DoesNotExist:
        return value == 0;
    }
    return false;
  });
}

}  // namespace elbowroom::policy
