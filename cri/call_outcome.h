// One call of the runtime that has ended, for metrics. It says whether the call went well, not
// whether what was asked has been done.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace elbowroom::cri {

struct CallOutcome {
  std::string_view method{};      // "ListContainers"; read before the call returns
  std::optional<Code> failure{};  // none: it went well
  std::chrono::nanoseconds took{0};
};

}  // namespace elbowroom::cri
