// The choice of nodes for a gang's members where no further pod is removed: each where it fits and
// scores best, one after the other, with those placed before it there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/placement/gang_schedule.h"
#include "policy/placement/gang_trial.h"

namespace elbowroom::policy {

// Places every member that is not placed yet, or as many as fit. Returns how many are placed now.
std::size_t seat_all(GangTrial& trial);

// The same with at most `wanted` placed in all. Where the best nodes for some leave too little for
// the others, the fullest nodes that fit are tried instead. Places none where fewer fit.
bool seat(GangTrial& trial, std::size_t wanted);

// Places members on the nodes that they are nominated to, where they fit.
void seat_nominated(GangTrial& trial);

// The pods of lower priority nominated to the nodes of the placement that find no room beside it.
// NAMESPACE/NAME, sorted.
[[nodiscard]] std::vector<std::string> outranked_by(GangTrial& trial, const Gang& gang);

}  // namespace elbowroom::policy
