// The resizes of a whole cluster that wait, each with what would be done about it now.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/input/skipped_objects.h"
#include "policy/model/time.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::cli {

struct WaitingResize {
  policy::ResizeReport report{};
  std::optional<policy::Time> since{};  // the node says so
};

struct WaitingResizes {
  std::vector<WaitingResize> judged{};  // the most important first, then the longest waiting
  std::size_t not_judged = 0;           // more than 1,000 are not looked at
};

// `objects.lacks`: what decides which pods go, and is not known: no victim is named then.
[[nodiscard]] WaitingResizes waiting_resizes(const DecodedObjects& objects, policy::Time now);

}  // namespace elbowroom::cli
