// How many pods a PodDisruptionBudget expects, and how many of them must be healthy. Source:
// kubernetes pkg/controller/disruption, getExpectedPodCount.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/world/json.h"
#include "lab/world/object.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

struct ExpectedPods {
  std::int64_t count = 0;
  std::int64_t healthy = 0;
};

// `pods` are those that the budget covers. NotFound: a pod's controller has no scale or is gone.
// Invalid: a number that is none.
[[nodiscard]] Result<ExpectedPods> expected_pods(const World& world, const Json& budget,
                                                 const std::vector<Object>& pods);

}  // namespace elbowroom::lab
