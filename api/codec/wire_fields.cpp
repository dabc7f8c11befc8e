#include "api/codec/wire_fields.h"

namespace elbowroom::api {
namespace {

enum class Read : std::uint8_t { Whole, Short, Broken };

// Moves `at` past the number.
Read read_varint(std::string_view text, std::size_t& at, std::uint64_t& value) {
  // Most numbers have one byte.
  if (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80U) {
    value = static_cast<unsigned char>(text[at++]);
    return Read::Whole;
  }
  value = 0;
  for (unsigned shift = 0; shift < 64U; shift += 7U) {
    if (at == text.size()) return Read::Short;
    const auto byte = static_cast<unsigned char>(text[at++]);
    if (shift == 63U && byte > 1U) return Read::Broken;
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) return Read::Whole;
  }
  return Read::Broken;
}

Read read_head(std::string_view text, WireHead& head) {
  constexpr std::uint64_t kHighestTag = 0xffff'ffffU;
  std::size_t at = 0;
  std::uint64_t tag = 0;
  if (const Read read = read_varint(text, at, tag); read != Read::Whole) return read;
  head.number = static_cast<std::uint32_t>(tag >> 3U);
  head.value = head.size = 0;
  if (tag > kHighestTag || head.number == 0) return Read::Broken;
  Read read = Read::Whole;
  switch (tag & 7U) {
    case 0:
      head.type = WireType::Varint;
      read = read_varint(text, at, head.value);
      break;
    case 1:
      head.type = WireType::Fixed64;
      head.size = 8;
      break;
    case 2:
      head.type = WireType::Bytes;
      read = read_varint(text, at, head.size);
      break;
    case 5:
      head.type = WireType::Fixed32;
      head.size = 4;
      break;
    default:
      return Read::Broken;
  }
  head.length = at;
  return read;
}

}  // namespace

Result<std::optional<WireHead>> wire_head(std::string_view text) {
  WireHead head;
  switch (read_head(text, head)) {
    case Read::Whole:
      return head;
    case Read::Short:
      return std::nullopt;
    case Read::Broken:
      break;
  }
  return failure(Code::Invalid, "the protobuf is broken");
}

bool WireFields::next() {
  if (rest_.empty() || is_broken_) return false;
  const Read read = read_head(rest_, head_);
  if (read != Read::Whole || head_.size > rest_.size() - head_.length) {
    is_broken_ = true;
    return false;
  }
  bytes_ = rest_.substr(head_.length, head_.size);
  rest_.remove_prefix(head_.length + head_.size);
  return true;
}

}  // namespace elbowroom::api
