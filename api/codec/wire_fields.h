// Iterates over the fields of a protobuf message in place. It returns numbers and byte ranges, and
// never copies. Truncated messages, groups, and numbers of more than 64 bits are reported as
// broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// The tag of a field, and its length or value.
struct WireHead {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t value = 0;  // of a Varint
  std::uint64_t size = 0;   // of the bytes that follow; 0 for a Varint
  std::size_t length = 0;   // of the head itself, including a Varint's value
};

// The head at the start of the text; nothing while it is incomplete. Invalid: no field starts so.
[[nodiscard]] Result<std::optional<WireHead>> wire_head(std::string_view text);

// for (WireFields fields(message); fields.next();) ...; then check is_broken().
class WireFields {
 public:
  explicit WireFields(std::string_view message) : rest_(message) {}

  // False at the end, and at malformed input.
  [[nodiscard]] bool next();
  [[nodiscard]] bool is_broken() const { return is_broken_; }

  // Of the current field.
  [[nodiscard]] std::uint32_t number() const { return head_.number; }
  [[nodiscard]] WireType type() const { return head_.type; }
  [[nodiscard]] std::uint64_t value() const { return head_.value; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }  // of any field but a Varint

 private:
  std::string_view rest_;
  std::string_view bytes_{};
  WireHead head_{};
  bool is_broken_ = false;
};

}  // namespace elbowroom::api
