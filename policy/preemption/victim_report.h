// A victim as reports describe it. It is the same for resizes and for pending pods. A unit of
// several pods has one entry for each of them, with the unit's priority.
#pragma once

#include <cstdint>
#include <string>

namespace elbowroom::policy {

struct VictimReport {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::int32_t priority = 0;
  bool violates_budget = false;  // the unit does
  std::string why{};
  std::string unit{};  // NAMESPACE/NAME of the group that is removed as a whole, else of the pod

  friend bool operator==(const VictimReport&, const VictimReport&) = default;
};

}  // namespace elbowroom::policy
