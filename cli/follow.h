// Looks again and again, and tells what has changed.
#pragma once

#include <chrono>
#include <functional>

#include "base/document.h"
#include "base/result.h"

namespace elbowroom::cli {

struct Following {
  std::function<Result<Value>()> look{};        // an explanation
  std::function<void(const Value&)> tell{};     // the first one, and each that differs
  std::function<void(const Error&)> trouble{};  // the server does not answer; told once
  std::function<void()> pause{};                // before the next look
};

// Until a look fails otherwise than Unavailable. What differs only in its time is the same.
[[nodiscard]] Error follow(const Following& with);

// How long to wait after a look that took so long: two seconds, and so long that looks take a tenth
// of the time at most.
[[nodiscard]] std::chrono::steady_clock::duration pause_after(
    std::chrono::steady_clock::duration look);

}  // namespace elbowroom::cli
