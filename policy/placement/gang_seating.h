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

enum class Seating : std::uint8_t {
  Seated,
  NoRoom,
  GaveUp,  // none was found among those that were tried; one may exist
};

// The same with at most `wanted` placed in all; places none where fewer fit. Where the best nodes
// for some leave too little for the others, the fullest nodes that fit are tried instead; where
// members are not alike, both once more with those first that have the fewest nodes to choose from;
// and then, for gangs of at most kMostSearched members, one placement after the other, with at
// most kMostChecks looks at a node.
[[nodiscard]] Seating seat(GangTrial& trial, std::size_t wanted);
inline constexpr std::size_t kMostSearched = 64;
inline constexpr int kMostChecks = 20'000;
// A gang with more pairs of a class of members and a node is tried in one way alone.
inline constexpr std::size_t kMostKept = 2'000'000;
[[nodiscard]] inline bool keeps_seats(const GangTrial& trial) {
  return trial.classes() * trial.nodes().size() <= kMostKept;
}

// As many as seat_all(), or at least `needed` by seat().
struct SeatedGang {
  std::size_t placed = 0;
  bool gave_up = false;  // on placing as many as are needed
};
[[nodiscard]] SeatedGang seat_gang(GangTrial& trial, std::size_t needed);

// Places members on the nodes that they are nominated to, where they fit.
void seat_nominated(GangTrial& trial);

// The pods of lower priority nominated to the nodes of the placement that find no room beside it.
// NAMESPACE/NAME, sorted.
[[nodiscard]] std::vector<std::string> outranked_by(GangTrial& trial, const Gang& gang);

}  // namespace elbowroom::policy
