#include "policy/model/natural_order.h"

#include <algorithm>
#include <cstddef>

namespace elbowroom::policy {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits at the start of `text`.
std::string_view digits_of(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

// Below zero: `a` is the lesser number.
int compare_numbers(std::string_view a, std::string_view b) {
  const std::string_view x = without_zeros(a);
  const std::string_view y = without_zeros(b);
  if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
  return x.compare(y);
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (is_digit(x.front()) && is_digit(y.front())) {
      const std::string_view left = digits_of(x);
      const std::string_view right = digits_of(y);
      const int order = compare_numbers(left, right);
      if (order != 0) return order < 0;
      x.remove_prefix(left.size());
      y.remove_prefix(right.size());
      continue;
    }
    if (x.front() != y.front()) {
      return static_cast<unsigned char>(x.front()) < static_cast<unsigned char>(y.front());
    }
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

}  // namespace elbowroom::policy
