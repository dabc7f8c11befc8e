// The messages about a gang that is not placed. The text about minCount is upstream's, which people
// search for.
#pragma once

#include <cstddef>
#include <string>

#include "policy/placement/gang_schedule.h"
#include "policy/placement/gang_trial.h"

namespace elbowroom::policy {

// "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining". Those that have a node count as
// scheduled. Source: kube-scheduler gangscheduling (1.37).
[[nodiscard]] std::string too_few_in_words(const Gang& gang, std::size_t placed,
                                           std::size_t remaining);

// The same for a gang of which only `placed` fit, with the reasons of the first that does not:
// "...; default/a: 0/2 nodes are available: 2 Insufficient cpu." Of a gang that has its minCount
// the reasons alone.
[[nodiscard]] std::string unplaced_in_words(const Gang& gang, const GangTrial& trial,
                                            std::size_t placed);

// That a placement may exist which was not tried: " Not every placement was tried: ...".
[[nodiscard]] std::string gave_up_in_words(const GangTrial& trial);

}  // namespace elbowroom::policy
