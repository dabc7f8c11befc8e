#include "cli/output/svg.h"

#include <cstdio>

#include "base/text.h"

namespace elbowroom::cli::svg {

std::string escaped(std::string_view raw) {
  std::string out;
  for (const char c : sanitize_line(raw)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string pixels(double value) {
  char buffer[32];
  static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.1f", value));
  return buffer;
}

}  // namespace elbowroom::cli::svg
