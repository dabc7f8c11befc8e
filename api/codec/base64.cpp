#include "api/codec/base64.h"

#include <algorithm>
#include <cstdint>

namespace elbowroom::api {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

Result<std::string> decode_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (is_space(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos || padding > 0) {
      return failure(Code::Invalid, "not base64");
    }
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    ++digits;
    if (digits % 4 == 0) {
      out += static_cast<char>(bits >> 16 & 0xff);
      out += static_cast<char>(bits >> 8 & 0xff);
      out += static_cast<char>(bits & 0xff);
      bits = 0;
    }
  }
  const std::size_t rest = digits % 4;
  if (rest == 1 || (digits + padding) % 4 != 0 || padding > 2) {
    return failure(Code::Invalid, "not base64: it ends in the middle");
  }
  if (rest == 2) out += static_cast<char>(bits >> 4 & 0xff);
  if (rest == 3) {
    out += static_cast<char>(bits >> 10 & 0xff);
    out += static_cast<char>(bits >> 2 & 0xff);
  }
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= bytes.size() ? kAlphabet[bits >> (18 - 6 * i) & 0x3f] : '=';
    }
  }
  return out;
}

}  // namespace elbowroom::api
