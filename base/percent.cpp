#include "base/percent.h"

namespace elbowroom {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const int high = text[0] == '%' && text.size() > 2 ? digit_of(text[1]) : -1;
    const int low = high < 0 ? -1 : digit_of(text[2]);
    out += low < 0 ? text[0] : static_cast<char>(high * 16 + low);
    text.remove_prefix(low < 0 ? 1 : 3);
  }
  return out;
}

}  // namespace elbowroom
