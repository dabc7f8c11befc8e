// Plays a scenario in virtual time. It reads no clock and uses no random numbers, so the same
// scenario gives the same timeline on every machine.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/input/manifests.h"
#include "cli/scenario/scenario.h"
#include "cli/scenario/timeline.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

struct RunOptions {
  policy::Time start{};             // cluster time at 0s
  bool validates_capacity = false;  // --admission 1.36
  bool records_budgets = false;     // fills Timeline::budgets
};

struct Played {
  Timeline timeline{};
  std::vector<std::string> refusals{};  // resizes that the API server refused, one line each
};

// `objects` are all objects at 0s. Errors: an invalid step, invalid objects, no end.
[[nodiscard]] Result<Played> play(const Scenario& scenario, const std::vector<Value>& objects,
                                  const RunOptions& options);

}  // namespace elbowroom::cli
