// A page of HTML as it is written. Only text that stands in this program's source is written as it
// is; every other text goes through text() or url(), so none can become markup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace elbowroom::page {

// Markup of this program: a literal, which the compiler sees.
class Markup {
 public:
  template <std::size_t kBytes>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is markup
  consteval Markup(const char (&literal)[kBytes]) : text_(literal, kBytes - 1) {}

  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Html {
 public:
  Html& put(Markup markup) {
    written_ += markup.text();
    return *this;
  }
  // A text between tags, or in an attribute in double quotes: valid UTF-8 on one line, without
  // characters that change the direction, 2 KiB at most.
  Html& text(std::string_view text);
  // A value of a query in an address, percent-encoded.
  Html& url(std::string_view text);
  Html& number(std::int64_t number) {
    written_ += std::to_string(number);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return written_.size(); }
  [[nodiscard]] std::string take() && { return std::move(written_); }

 private:
  std::string written_{};
};

}  // namespace elbowroom::page
