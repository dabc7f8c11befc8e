#include "cli/output/progress.h"

#include <unistd.h>

#include <cstdio>

#include "base/text.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::seconds kPatience{1};
constexpr std::chrono::milliseconds kBetween{100};
// One less than the narrowest usual terminal has, so that the line does not wrap.
constexpr std::size_t kColumns = 79;
constexpr std::string_view kErase = "\r\x1b[K";

// "12,000".
std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace

void Progress::tell(std::string_view doing, std::size_t done) {
  if (!write_) return;
  if (doing_ != doing) doing_ = doing;
  done_ = done;
  if (!began_) began_ = now_();
  draw();
}

void Progress::tell_again() {
  if (write_ && began_) draw();
}

void Progress::draw() {
  const Time now = now_();
  if (now - *began_ < kPatience || (drawn_ && now - *drawn_ < kBetween)) return;
  drawn_ = now;
  const auto spent = std::chrono::floor<std::chrono::seconds>(now - *began_).count();
  const std::string tail =
      (done_ == 0 ? "" : ": " + grouped(done_)) + " (" + std::to_string(spent) + "s)";
  write_(std::string(kErase) + clipped(sanitize_line(doing_), kColumns - tail.size()) + tail);
}

void Progress::erase() {
  if (!drawn_) return;
  drawn_.reset();
  write_(kErase);
}

Progress& progress() {
  static Progress shown = ::isatty(STDERR_FILENO) == 1
                              ? Progress([] { return std::chrono::steady_clock::now(); },
                                         [](std::string_view text) {
                                           std::fwrite(text.data(), 1, text.size(), stderr);
                                           std::fflush(stderr);
                                         })
                              : Progress();
  return shown;
}

}  // namespace elbowroom::cli
