#include "page/html.h"

#include "base/text.h"

namespace elbowroom::page {
namespace {

constexpr std::size_t kMostTextBytes = 2048;

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string_view reference_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

}  // namespace

Html& Html::text(std::string_view text) {
  const std::string safe = clipped(sanitize_line(clipped(text, kMostTextBytes)), kMostTextBytes);
  for (const char c : safe) {
    const std::string_view reference = reference_of(c);
    if (reference.empty()) {
      written_ += c;
    } else {
      written_ += reference;
    }
  }
  return *this;
}

Html& Html::url(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text.substr(0, kMostTextBytes)) {
    if (is_unreserved(c)) {
      written_ += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    written_ += '%';
    written_ += kDigits[byte >> 4U];
    written_ += kDigits[byte & 15U];
  }
  return *this;
}

}  // namespace elbowroom::page
