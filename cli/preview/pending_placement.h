// Where mode `full` of the scheduler would place the pending pods of a cluster now: the most
// important first, each beside those before it. A gang is placed as one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/input/skipped_objects.h"
#include "policy/model/time.h"
#include "policy/placement/schedule.h"

namespace elbowroom::cli {

struct PendingPod {
  std::string pod{};    // NAMESPACE/NAME
  std::string group{};  // NAMESPACE/NAME of the gang that it is placed with; "": it is placed alone
  policy::SchedulingResult result = policy::SchedulingResult::Unschedulable;
  // Pods would go, and which ones depends on what was not read; `node` and `victims` are empty.
  bool is_not_known = false;
  std::string node{};
  std::vector<policy::VictimReport> victims{};  // of a gang: with its first pod
  std::string message{};
};

struct PendingPlacement {
  std::vector<PendingPod> judged{};  // the most important first
  std::size_t not_judged = 0;        // more than 1,000 are not looked at
};

[[nodiscard]] PendingPlacement place_pending(const DecodedObjects& objects, policy::Time now);

}  // namespace elbowroom::cli
