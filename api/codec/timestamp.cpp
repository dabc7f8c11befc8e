#include "api/codec/timestamp.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace elbowroom::api {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kShownBytes = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Parses a text from its front. After the first mismatch everything fails.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // The next `count` characters as a number up to `most`.
  int number(std::size_t count, int most) {
    int value = 0;
    if (rest_.size() < count) ok_ = false;
    for (std::size_t i = 0; ok_ && i < count; ++i) {
      ok_ = is_digit(rest_[i]);
      value = value * 10 + (rest_[i] - '0');
    }
    if (!ok_ || value > most) return fail();
    rest_.remove_prefix(count);
    return value;
  }

  void expect(char c) {
    if (!take(c)) fail();
  }
  bool take(char c) {
    if (!ok_ || !rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // ".123456789": microseconds, finer digits are cut off; no fraction is 0.
  int fraction() {
    if (!take('.')) return 0;
    if (rest_.empty() || !is_digit(rest_[0])) return fail();
    int value = 0;
    for (int digits = 0; ok_ && !rest_.empty() && is_digit(rest_[0]); ++digits) {
      if (digits < 6) value = value * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
      if (rest_.empty() || !is_digit(rest_[0])) {
        for (int i = digits + 1; i < 6; ++i) value *= 10;
      }
    }
    return value;
  }

  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

 private:
  int fail() {
    ok_ = false;
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

// Minutes east of UTC.
int offset_minutes(Scanner& scan) {
  if (scan.take('Z') || scan.take('z')) return 0;
  const bool west = scan.take('-');
  if (!west) scan.expect('+');
  const int hours = scan.number(2, 23);
  scan.expect(':');
  const int minutes = scan.number(2, 59);
  const int total = hours * 60 + minutes;
  return west ? -total : total;
}

std::optional<policy::Time> time_of(std::string_view text) {
  Scanner scan(text);
  const int year = scan.number(4, 9999);
  scan.expect('-');
  const int month = scan.number(2, 12);
  scan.expect('-');
  const int day = scan.number(2, 31);
  if (!scan.take('T')) scan.expect('t');
  const int hour = scan.number(2, 23);
  scan.expect(':');
  const int minute = scan.number(2, 59);
  scan.expect(':');
  const int second = scan.number(2, 59);
  const int fraction = scan.fraction();
  const int offset = offset_minutes(scan);

  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!scan.finished() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) +
         std::chrono::minutes(minute - offset) + std::chrono::seconds(second) +
         microseconds(fraction);
}

void append(std::string& to, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  to.append(width - std::min(width, digits.size()), '0').append(digits);
}

std::string formatted(policy::Time time, bool always_micro) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::int64_t in_day = (time - day).count();
  const std::int64_t second = in_day / 1'000'000;
  const std::int64_t micro = in_day % 1'000'000;

  std::string out;
  append(out, int{date.year()}, 4);
  out += '-';
  append(out, unsigned{date.month()}, 2);
  out += '-';
  append(out, unsigned{date.day()}, 2);
  out += 'T';
  append(out, second / 3600, 2);
  out += ':';
  append(out, second / 60 % 60, 2);
  out += ':';
  append(out, second % 60, 2);
  if (always_micro || micro != 0) {
    out += '.';
    append(out, micro, 6);
  }
  return out + 'Z';
}

}  // namespace

Result<policy::Time> parse_timestamp(std::string_view text) {
  if (const auto time = time_of(text)) return *time;
  std::string shown(text.substr(0, kShownBytes));
  if (text.size() > kShownBytes) shown += "...";
  return failure(Code::Invalid,
                 "\"" + shown + "\" is no RFC 3339 time: write one such as 2026-07-24T10:00:00Z");
}

std::string format_timestamp(policy::Time time) { return formatted(time, false); }

std::string format_micro_timestamp(policy::Time time) { return formatted(time, true); }

}  // namespace elbowroom::api
