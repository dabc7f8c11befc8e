// Protobuf by hand, for tests: fields made of their numbers and values, as on the wire. It does not
// know the meaning of any number, so a reader of a test compares its bytes with the tables of
// Kubernetes.
#pragma once

#include <cstdint>
#include <string>

namespace elbowroom::test {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80U; value >>= 7U) out.push_back(static_cast<char>(value | 0x80U));
  out.push_back(static_cast<char>(value));
  return out;
}
inline std::string bytes(std::uint32_t field, const std::string& value) {
  return varint(std::uint64_t{field} << 3U | 2U) + varint(value.size()) + value;
}
inline std::string number(std::uint32_t field, std::int64_t value) {
  return varint(std::uint64_t{field} << 3U) + varint(static_cast<std::uint64_t>(value));
}
// An entry of a mapping: of texts, and of quantities, which are messages.
inline std::string entry(std::uint32_t field, const std::string& key, const std::string& value) {
  return bytes(field, bytes(1, key) + bytes(2, value));
}
inline std::string amount(std::uint32_t field, const std::string& key, const std::string& value) {
  return entry(field, key, bytes(1, value));
}
inline std::string envelope(const std::string& version, const std::string& kind,
                            const std::string& raw) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, version) + bytes(2, kind)) + bytes(2, raw) +
         bytes(3, "") + bytes(4, "");
}
// metadata.resourceVersion, metadata.continue; the items as they are.
inline std::string list_envelope(const std::string& kind, const std::string& version,
                                 const std::string& more, const std::string& items) {
  return envelope("v1", kind, bytes(1, bytes(1, "") + bytes(2, version) + bytes(3, more)) + items);
}

}  // namespace elbowroom::test
