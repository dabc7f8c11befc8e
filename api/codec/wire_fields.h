// The fields of a protobuf message as they lie in its bytes. It gives out numbers and runs of
// bytes, never copies, and a message that ends in the middle, groups, and numbers of more than 64
// bits are told as broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// What stands before the bytes of a field.
struct WireHead {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t value = 0;  // of a Varint
  std::uint64_t size = 0;   // of what follows; 0 for a Varint
  std::size_t length = 0;   // of the head itself, a Varint's value included
};

// The head that the text begins with; nothing while it is not whole. Invalid: no field begins so.
[[nodiscard]] Result<std::optional<WireHead>> wire_head(std::string_view text);

// for (WireFields fields(message); fields.next();) ...; then is_broken() tells whether it was all.
class WireFields {
 public:
  explicit WireFields(std::string_view message) : rest_(message) {}

  // False at the end, and where the rest makes no sense.
  [[nodiscard]] bool next();
  [[nodiscard]] bool is_broken() const { return is_broken_; }

  // Of the field that next() came to.
  [[nodiscard]] std::uint32_t number() const { return head_.number; }
  [[nodiscard]] WireType type() const { return head_.type; }
  [[nodiscard]] std::uint64_t value() const { return head_.value; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }  // of all but a Varint

 private:
  std::string_view rest_;
  std::string_view bytes_{};
  WireHead head_{};
  bool is_broken_ = false;
};

}  // namespace elbowroom::api
