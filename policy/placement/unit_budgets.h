// What the disruption budgets of a room allow while the potential victims of a decision are charged
// to them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/placement/cluster_room.h"
#include "policy/placement/room_units.h"

namespace elbowroom::policy {

// Parallel to the units.
struct UnitCharges {
  std::vector<bool> forbidden{};          // by a hard budget (not by upstream's rules)
  std::vector<std::int32_t> violating{};  // how many of its pods violate a budget; 0 if forbidden
};

// `units` come most important first. Pods are charged wherever they run; see budget_account.h.
[[nodiscard]] UnitCharges charge_budgets(const ClusterRoom& room,
                                         std::span<const HoldingUnit> units);

}  // namespace elbowroom::policy
