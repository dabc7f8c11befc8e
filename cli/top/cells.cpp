#include "cli/top/cells.h"

#include <algorithm>

#include "api/codec/quantity.h"
#include "base/text.h"

namespace elbowroom::cli::top {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20U;

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80U; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }
std::string two_digits(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

std::string cell_text(std::string_view from_outside) {
  std::string text = sanitize_line(from_outside);
  std::erase_if(text, is_continuation);
  std::ranges::replace_if(text, [](char c) { return !is_ascii(c); }, '?');
  return text;
}

std::string cut(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  if (width == 0) return "";
  return std::string(text.substr(0, width - 1)) + "~";
}

std::string padded(std::string_view text, std::size_t width, bool is_right) {
  const std::string shown = cut(text, width);
  const std::string gap(width - shown.size(), ' ');
  return is_right ? gap + shown : shown + gap;
}

std::string clock_text(std::chrono::microseconds length) {
  const auto seconds =
      std::max(std::chrono::floor<std::chrono::seconds>(length), std::chrono::seconds(0)).count();
  return std::to_string(seconds / 3600) + ":" + two_digits(seconds / 60 % 60) + ":" +
         two_digits(seconds % 60);
}

std::string age_text(std::optional<policy::Time> since, policy::Time now) {
  return since ? clock_text(now - *since) : "";
}

std::string until_text(std::optional<policy::Time> when, policy::Time now) {
  if (!when) return "";
  return *when <= now ? "now" : clock_text(*when - now);
}

std::int64_t mebibytes_up(std::int64_t bytes) {
  return mebibytes_down(bytes) + (bytes % kMebibyte != 0 ? 1 : 0);
}

std::int64_t mebibytes_down(std::int64_t bytes) { return bytes / kMebibyte; }

std::string amounts_text(const policy::Resources& of) {
  std::string text;
  policy::for_each_amount(of, [&text](std::string_view name, std::int64_t amount) {
    if (!text.empty()) text += ", ";
    text += cell_text(name) + " " + api::format_quantity(name, amount);
  });
  return text;
}

}  // namespace elbowroom::cli::top
