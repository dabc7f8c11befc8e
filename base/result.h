// Errors as values: Result<T> is a T or an Error. An Error's code says what the *caller* can do
// about it; its message says what failed, where, and what to do. Nothing throws.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace elbowroom {

// What the caller can do about a failure.
enum class Code {
  Invalid,      // the input is wrong: retrying changes nothing
  NotFound,     // it does not exist (any more)
  Conflict,     // our view is stale: read again, decide again
  Gone,         // the requested history is no longer kept: list again
  Denied,       // not permitted: needs an operator
  Unavailable,  // temporary, on the other side: retry later
  Exhausted,    // one of our bounds was reached (size, time, count)
  Internal,     // a bug of ours
};

// "Invalid", "NotFound", ... for logs and metrics.
std::string_view to_string(Code code);

struct Error {
  Code code = Code::Internal;
  std::string message;                       // lower case, no full stop, no newline
  std::chrono::milliseconds retry_after{0};  // the delay the other side asks for; 0: none given

  // Adds the caller's context: with("patch pod a/b") gives "patch pod a/b: ...".
  [[nodiscard]] Error with(std::string_view doing) const {
    return {code, std::string(doing) + ": " + message, retry_after};
  }
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(Code code, std::string message) {
  return std::unexpected(Error{code, std::move(message), {}});
}

}  // namespace elbowroom

// Two macros, because libstdc++ 12 lacks the monadic members of std::expected.
#define RETURN_IF_ERROR(expr)                                 \
  do {                                                        \
    if (auto elbowroom_r = (expr); !elbowroom_r) {            \
      return std::unexpected(std::move(elbowroom_r).error()); \
    }                                                         \
  } while (false)

#define ELBOWROOM_JOIN_(a, b) a##b
#define ELBOWROOM_JOIN(a, b) ELBOWROOM_JOIN_(a, b)
#define ASSIGN_OR_RETURN_(tmp, lhs, expr)                   \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  lhs = std::move(*tmp)
#define ASSIGN_OR_RETURN(lhs, expr) \
  ASSIGN_OR_RETURN_(ELBOWROOM_JOIN(elbowroom_v, __LINE__), lhs, expr)
