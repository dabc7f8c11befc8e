#include "api/codec/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace elbowroom::api {
namespace {

using Wide = unsigned __int128;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kShortDigits = 20;  // Wide can hold so many, with any factor
constexpr std::size_t kLongDigits = 60;   // further digits can only cause rounding up
constexpr std::int64_t kMostDigits = 19;  // of 2^63-1
constexpr std::size_t kShownBytes = 40;
constexpr std::int64_t kMaxExponent = 1'000'000'000;  // far beyond any amount; sums stay small

// A factor of 10^ten * 2^two.
struct Factor {
  std::int64_t ten = 0;
  int two = 0;
};

struct Suffix {
  std::string_view text;
  Factor factor;
};

constexpr std::array<Suffix, 16> kSuffixes = {{
    {"", {0, 0}},
    {"n", {-9, 0}},
    {"u", {-6, 0}},
    {"m", {-3, 0}},
    {"k", {3, 0}},
    {"M", {6, 0}},
    {"G", {9, 0}},
    {"T", {12, 0}},
    {"P", {15, 0}},
    {"E", {18, 0}},
    {"Ki", {0, 10}},
    {"Mi", {0, 20}},
    {"Gi", {0, 30}},
    {"Ti", {0, 40}},
    {"Pi", {0, 50}},
    {"Ei", {0, 60}},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "e3", "E-6": a decimal exponent.
std::optional<Factor> exponent_of(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::int64_t exponent = 0;
  for (const char c : text) exponent = std::min(exponent * 10 + (c - '0'), kMaxExponent);
  return Factor{negative ? -exponent : exponent, 0};
}

std::optional<Factor> factor_of(std::string_view suffix) {
  const auto at = std::ranges::find(kSuffixes, suffix, &Suffix::text);
  return at == kSuffixes.end() ? exponent_of(suffix) : std::optional(at->factor);
}

// A number without its suffix: digits * 10^ten, the digits without zeros at either end.
struct Number {
  std::string digits{};
  std::int64_t ten = 0;
  std::size_t length = 0;  // of the parsed text
};

// No digits: length 0.
Number number_of(std::string_view text) {
  std::string digits;
  std::int64_t fraction = 0;
  std::size_t at = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) digits += text[at];
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at, ++fraction) digits += text[at];
  }
  if (digits.empty()) return Number{};

  Number number{.ten = -fraction, .length = at};
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++number.ten;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  number.digits = std::move(digits);
  return number;
}

Wide mantissa_of(std::string_view digits) {
  Wide mantissa = 0;
  for (const char c : digits) mantissa = mantissa * 10 + Wide(c - '0');
  return mantissa;
}

// mantissa * 10^ten * 2^two, rounded up; nothing above 2^63-1. Requires 0 < mantissa < 10^20, two
// <= 60.
std::optional<std::int64_t> scaled(Wide mantissa, Factor factor) {
  Wide value = mantissa << factor.two;  // < 2^67 * 2^60
  for (; factor.ten > 0; --factor.ten) {
    if (value > Wide(kMax)) return std::nullopt;
    value *= 10;
  }
  bool rest = false;
  for (; factor.ten < 0 && value != 0; ++factor.ten) {
    rest = rest || value % 10 != 0;
    value /= 10;
  }
  if (rest || value == 0) ++value;
  if (value > Wide(kMax)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

void double_up(std::string& digits) {
  int carry = 0;
  for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
    const int twice = (*at - '0') * 2 + carry;
    *at = static_cast<char>('0' + twice % 10);
    carry = twice / 10;
  }
  if (carry != 0) digits.insert(digits.begin(), '1');
}

// The same for more digits than Wide holds.
std::optional<std::int64_t> scaled_long(std::string digits, Factor factor) {
  bool rest = digits.size() > kLongDigits;
  if (rest) {
    factor.ten += static_cast<std::int64_t>(digits.size() - kLongDigits);
    digits.resize(kLongDigits);
  }
  for (int i = 0; i < factor.two; ++i) double_up(digits);
  const std::int64_t whole = static_cast<std::int64_t>(digits.size()) + factor.ten;
  if (whole > kMostDigits) return std::nullopt;
  const std::string_view text = digits;
  const auto split = static_cast<std::size_t>(std::max<std::int64_t>(whole, 0));
  rest = rest || text.substr(split).find_first_not_of('0') != std::string_view::npos;
  const Wide value = mantissa_of(text.substr(0, split)) + (rest ? 1 : 0);
  if (value > Wide(kMax)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// The number in whole units, rounded up; nothing above 2^63-1.
std::optional<std::int64_t> amount_in(Number number, Factor factor) {
  if (number.digits.empty()) return 0;
  factor.ten += number.ten;
  // The position of the first digit before the decimal point, without powers of two: at most 10^19.
  const std::int64_t begins = static_cast<std::int64_t>(number.digits.size()) + factor.ten;
  if (begins > kMostDigits) return std::nullopt;
  if (begins < -kMostDigits) return 1;
  if (number.digits.size() > kShortDigits) return scaled_long(std::move(number.digits), factor);
  return scaled(mantissa_of(number.digits), factor);
}

std::string too_large(Unit unit) {
  return unit == Unit::Milli ? "is above 2^63-1 millicores" : "is above 2^63-1";
}

std::unexpected<Error> refused(std::string_view text, std::string_view why,
                               Code code = Code::Invalid) {
  std::string shown(text.substr(0, kShownBytes));
  if (text.size() > kShownBytes) shown += "...";
  return failure(code, "quantity \"" + shown + "\" " + std::string(why));
}

bool is_binary(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

// The amount with the largest of the suffixes whose unit divides it.
std::string with_suffix(std::int64_t amount, std::int64_t step,
                        const std::array<std::string_view, 7>& suffixes) {
  std::size_t at = 0;
  while (amount != 0 && amount % step == 0 && at + 1 < suffixes.size()) {
    amount /= step;
    ++at;
  }
  return std::to_string(amount) + std::string(suffixes[at]);
}

constexpr std::array<std::string_view, 7> kDecimal = {"", "k", "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

}  // namespace

Unit unit_of(std::string_view resource) { return resource == "cpu" ? Unit::Milli : Unit::Base; }

Result<std::int64_t> parse_quantity(std::string_view text, Unit unit) {
  if (text.empty()) return failure(Code::Invalid, "an empty quantity: write a number such as 2");
  std::string_view rest = text;
  const bool negative = rest[0] == '-';
  if (rest[0] == '-' || rest[0] == '+') rest.remove_prefix(1);
  Number number = number_of(rest);
  const std::optional<Factor> factor = factor_of(rest.substr(number.length));
  if (number.length == 0 || !factor) {
    return refused(text, "is malformed: write a number such as 2, 1500m or 2Gi");
  }
  if (negative && !number.digits.empty()) return refused(text, "is negative");
  const auto amount =
      amount_in(std::move(number), {factor->ten + (unit == Unit::Milli ? 3 : 0), factor->two});
  if (!amount) return refused(text, too_large(unit), Code::Exhausted);
  return *amount;
}

std::string format_quantity(std::string_view resource, std::int64_t amount) {
  if (unit_of(resource) == Unit::Milli) {
    if (amount % 1000 != 0) return std::to_string(amount) + "m";
    return with_suffix(amount / 1000, 1000, kDecimal);
  }
  if (is_binary(resource) && amount % 1024 == 0) return with_suffix(amount, 1024, kBinary);
  return with_suffix(amount, 1000, kDecimal);
}

}  // namespace elbowroom::api
