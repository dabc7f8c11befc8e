#include "cli/output/one_unit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace elbowroom::cli {
namespace {

constexpr std::array<std::string_view, 8> kUnits = {"m", "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
constexpr std::size_t kWhole = 1;

struct Quantity {
  std::int64_t number = 0;
  std::size_t unit = kWhole;
};

bool is_quantity(std::string_view text) {
  return !text.empty() && text != "0" && text.front() >= '0' && text.front() <= '9';
}

std::optional<Quantity> quantity_in(std::string_view text) {
  Quantity found;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, found.number);
  const auto* unit = std::ranges::find(kUnits, std::string_view(rest, end));
  if (error != std::errc() || unit == kUnits.end()) return std::nullopt;
  found.unit = static_cast<std::size_t>(unit - kUnits.begin());
  return found;
}

bool is_lowered(Quantity& of, std::size_t to) {
  for (; of.unit > to; --of.unit) {
    const std::int64_t factor = of.unit == kWhole ? 1000 : 1024;
    if (__builtin_mul_overflow(of.number, factor, &of.number)) return false;
  }
  return true;
}

}  // namespace

void in_one_unit(const std::vector<std::string*>& quantities) {
  std::vector<std::pair<std::string*, Quantity>> all;
  for (std::string* each : quantities) {
    if (!is_quantity(*each)) continue;
    const auto quantity = quantity_in(*each);
    if (!quantity) return;
    all.emplace_back(each, *quantity);
  }
  std::size_t least = kUnits.size();
  for (const auto& [text, quantity] : all) least = std::min(least, quantity.unit);
  for (auto& [text, quantity] : all) {
    if (!is_lowered(quantity, least)) return;
  }
  for (const auto& [text, quantity] : all) {
    *text = std::to_string(quantity.number) + std::string(kUnits[least]);
  }
}

std::vector<std::string*> column_of(std::vector<std::vector<std::string>>& rows,
                                    std::size_t column) {
  std::vector<std::string*> cells;
  for (std::size_t i = 1; i < rows.size(); ++i) cells.push_back(&rows[i][column]);
  return cells;
}

}  // namespace elbowroom::cli
