// One placement of a gang, made with the least harm: the members take nodes one after the other,
// and each node loses the units that it costs least to remove.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/placement/gang_trial.h"
#include "policy/placement/gang_units.h"

namespace elbowroom::policy {

enum class SeatOrder : std::uint8_t {
  AsGiven,        // each member in its turn, on the node that is cheapest for it
  CheapestFirst,  // the member that costs least is next
  Filling,        // the node is next that costs least for each member that it takes
};

// No placement is made where it would take more pairs of a class of members and a node, or more
// looks at a node where members look around.
inline constexpr std::size_t kMostSeats = 100'000;
inline constexpr int kMostLooks = 20'000;

// Places `needed` members in the trial, and removes units there; none is placed or gone before.
// Units beyond the limit stay. False: this order finds no placement, and nothing is changed.
[[nodiscard]] bool place_with_least_harm(GangTrial& trial, const GangUnits& units,
                                         const GangLimit& limit, std::size_t needed,
                                         SeatOrder order);

}  // namespace elbowroom::policy
