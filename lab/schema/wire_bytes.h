// Writes the protobuf encoding: fields that hold numbers or runs of bytes. It does not know the
// fields' meaning; lab/schema/wire_numbers.h does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace elbowroom::lab {

inline void write_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) out.push_back(static_cast<char>(value | 0x80U));
  out.push_back(static_cast<char>(value));
}

inline void write_number(std::string& out, std::uint32_t field, std::int64_t value) {
  write_varint(out, std::uint64_t{field} << 3U);
  write_varint(out, static_cast<std::uint64_t>(value));
}

inline void write_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  write_varint(out, std::uint64_t{field} << 3U | 2U);
  write_varint(out, bytes.size());
  out += bytes;
}

}  // namespace elbowroom::lab
