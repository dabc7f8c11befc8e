// A victim as reports describe it. It is the same for resizes and for pending pods.
#pragma once

#include <cstdint>
#include <string>

namespace elbowroom::policy {

struct VictimReport {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::int32_t priority = 0;
  bool violates_budget = false;
  std::string why{};

  friend bool operator==(const VictimReport&, const VictimReport&) = default;
};

}  // namespace elbowroom::policy
