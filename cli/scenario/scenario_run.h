// Plays a scenario in virtual time. It asks no clock and draws no numbers, so the same scenario
// gives the same timeline on every machine.
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
  policy::Time start{};          // what the cluster's clock shows at 0s
  bool judges_capacity = false;  // --admission 1.36
};

struct Played {
  Timeline timeline{};
  std::vector<std::string> refusals{};  // resizes that the API server did not take, one line each
};

// `objects` are all objects at 0s. Errors: a step that cannot be, objects that cannot be, no rest.
[[nodiscard]] Result<Played> play(const Scenario& scenario, const std::vector<Value>& objects,
                                  const RunOptions& options);

}  // namespace elbowroom::cli
