// The outcome of one call to the runtime, for metrics. It says whether the call succeeded, not
// whether the requested change has happened.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace elbowroom::cri {

struct CallOutcome {
  std::string_view method{};      // "ListContainers"; used before the call returns
  std::optional<Code> failure{};  // none: success
  std::chrono::nanoseconds took{0};
};

}  // namespace elbowroom::cri
