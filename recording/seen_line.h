// A line of what was seen, whole. Programs whose observations take more than one line, or leave out
// what has not changed, have lines of their own beside it.
#pragma once

#include <string>
#include <utility>

#include "base/document.h"
#include "base/result.h"
#include "recording/json_fields.h"

namespace elbowroom::recording {

// What stands behind "seen".
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

// Without a newline at the end.
template <class Observation>
[[nodiscard]] std::string seen_line(const Observation& seen) {
  return R"({"seen":{"at":)" + to_text(seen.at) + R"(,"what":)" + to_text(seen.what) + "}}";
}

// Invalid: it is none; says where and why.
template <class Observation>
[[nodiscard]] Result<Observation> seen_from(const Value& seen) {
  if (seen.find("what") == nullptr) return failure(Code::Invalid, ".what is missing");
  ASSIGN_OR_RETURN(SeenBody<Observation> body, from_value<SeenBody<Observation>>(seen));
  return Observation{body.at, std::move(body.what)};
}

}  // namespace elbowroom::recording
