// A line of a recording, the same for every program. An observation stays an unparsed value,
// because its meaning may depend on other lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/document.h"
#include "base/document_text.h"
#include "base/result.h"
#include "recording/json_fields.h"

namespace elbowroom::recording {

inline constexpr DocumentLimits kLineLimits{
    .bytes = std::size_t{64} << 20, .depth = 32, .values = 2'000'000};

// The value of "seen".
struct SeenValue {
  Value value{};
};

// Returns the line of effects, without a newline.
template <class Effects>
[[nodiscard]] std::string did_line(const Effects& effects) {
  return R"({"did":)" + to_text(effects) + "}";
}

// Line is a variant of the program's header, which header_from(value) makes, a struct that holds
// the value of "seen", and the effects. Invalid: not a line of a recording, or header_from fails.
template <class Line, class HeaderFrom>
[[nodiscard]] Result<Line> read_line(std::string_view text, HeaderFrom header_from) {
  using Seen = std::variant_alternative_t<1, Line>;
  using Effects = std::variant_alternative_t<2, Line>;
  ASSIGN_OR_RETURN(Value parsed, parse_json(text, kLineLimits));
  if (parsed.find("recording") != nullptr) {
    ASSIGN_OR_RETURN(auto header, header_from(parsed));
    return header;
  }
  if (parsed.kind == Value::Kind::Map && parsed.members.size() == 1) {
    Member& only = parsed.members.front();
    if (only.key == "seen") return Seen{std::move(only.value)};
    if (only.key == "did") {
      ASSIGN_OR_RETURN(Effects effects, recording::from_value<Effects>(only.value));
      return effects;
    }
  }
  return failure(Code::Invalid, "this is no line of a recording");
}

}  // namespace elbowroom::recording
