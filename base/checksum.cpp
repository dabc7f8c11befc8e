#include "base/checksum.h"

#include <array>

namespace elbowroom {
namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82f63b78U;

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kReflectedPolynomial : 0U);
    }
    table[byte] = crc;
  }
  return table;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc = (crc >> 8U) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xffU];
  }
  return ~crc;
}

}  // namespace elbowroom
