// A complete line of an observation. Programs whose observations take several lines, or omit what
// has not changed, use lines of their own in addition.
#pragma once

#include <string>
#include <utility>

#include "base/document.h"
#include "base/result.h"
#include "recording/json_fields.h"

namespace elbowroom::recording {

// The value of "seen".
template <class Observation>
struct SeenBody {
  decltype(Observation::at) at{};
  decltype(Observation::what) what{};
};
template <class Observation>
struct Fields<SeenBody<Observation>> {
  static void list(auto& io, auto& of) {
    auto& [at, what] = of;
    io("at", at)("what", what);
  }
};

// Returns the line without a newline.
template <class Observation>
[[nodiscard]] std::string seen_line(const Observation& seen) {
  return R"({"seen":{"at":)" + to_text(seen.at) + R"(,"what":)" + to_text(seen.what) + "}}";
}

// Invalid: not an observation; the error says where and why.
template <class Observation>
[[nodiscard]] Result<Observation> seen_from(const Value& seen) {
  if (seen.find("what") == nullptr) return failure(Code::Invalid, ".what is missing");
  ASSIGN_OR_RETURN(SeenBody<Observation> body, from_value<SeenBody<Observation>>(seen));
  return Observation{body.at, std::move(body.what)};
}

}  // namespace elbowroom::recording
