// CRC-32C, to distinguish a torn or changed file from a whole one. It detects accidents, not
// attacks.
#pragma once

#include <cstdint>
#include <string_view>

namespace elbowroom {

// Castagnoli polynomial, reflected, as iSCSI and ext4 use it: crc32c("123456789") is 0xe3069283.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

}  // namespace elbowroom
