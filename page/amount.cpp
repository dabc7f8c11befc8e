#include "page/amount.h"

#include <algorithm>
#include <array>

namespace elbowroom::page {
namespace {

constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

// A tenth is kept where the number is small.
std::string in_tenths(std::int64_t whole, std::int64_t tenths) {
  std::string text = std::to_string(whole);
  if (whole < 100 && tenths > 0) text += "." + std::to_string(tenths);
  return text;
}

std::string bytes_text(std::int64_t bytes) {
  std::size_t unit = 0;
  std::int64_t size = 1;
  while (unit + 1 < kUnits.size() && bytes / size >= 1024) {
    size *= 1024;
    ++unit;
  }
  const std::int64_t rest = bytes % size;
  const std::int64_t tenths =
      std::min<std::int64_t>(9, rest / std::max<std::int64_t>(size / 10, 1));
  return in_tenths(bytes / size, tenths) + std::string(kUnits[unit]);
}

bool is_bytes(std::string_view resource) {
  return resource == policy::kMemory || resource == policy::kEphemeralStorage ||
         resource.starts_with("hugepages-");
}

}  // namespace

std::string amount_text(std::string_view resource, std::int64_t amount) {
  if (is_bytes(resource)) return bytes_text(amount);
  if (resource != policy::kCpu) return std::to_string(amount);
  if (amount < 1000) return std::to_string(amount) + "m";
  return in_tenths(amount / 1000, amount % 1000 / 100);
}

std::string amounts_text(const policy::Resources& of) {
  std::string text;
  policy::for_each_amount(of, [&](std::string_view name, std::int64_t amount) {
    if (!text.empty()) text += ", ";
    text += std::string(name) + " " + amount_text(name, amount);
  });
  return text.empty() ? "nothing" : text;
}

std::int64_t thousandths(std::int64_t amount, std::int64_t whole) {
  if (whole <= 0 || amount <= 0) return 0;
  if (amount >= whole) return 1000;
  if (amount <= policy::kMaxAmount / 1000) return amount * 1000 / whole;
  return amount / std::max<std::int64_t>(whole / 1000, 1);
}

}  // namespace elbowroom::page
