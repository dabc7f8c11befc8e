#include "cli/output/wrapped_text.h"

#include <algorithm>

#include "base/text.h"
#include "cli/output/screen.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kColumns = 98;

// Lines longer than that are hard to read on a wide terminal, too.
std::size_t text_columns() {
  const std::size_t screen = screen_columns();
  return screen == 0 ? kColumns : std::min(kColumns, screen);
}

}  // namespace

std::string wrapped(std::string_view words, std::size_t indent, std::size_t hang) {
  const std::string clean = sanitize_line(words);
  std::string_view rest = clean;
  std::string out(indent, ' ');
  std::size_t column = indent;
  bool at_start = true;
  const std::size_t columns = text_columns();
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    const std::string_view word = rest.substr(0, space);
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
    if (word.empty()) continue;
    if (!at_start && column + 1 + word.size() > columns) {
      out += "\n" + std::string(hang, ' ');
      column = hang;
      at_start = true;
    }
    if (!at_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    at_start = false;
  }
  return out + "\n";
}

std::string titled_row(std::string_view title, std::string_view words) {
  constexpr std::size_t kTitle = 12;
  std::string name = title.empty() ? "" : std::string(title) + ":";
  name.resize(std::max(name.size(), kTitle), ' ');
  return wrapped(words, kTitle, kTitle).replace(0, kTitle, name);
}

}  // namespace elbowroom::cli
