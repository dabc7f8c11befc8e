// Why a node does not take a pod.
#pragma once

#include <cstdint>

#include "policy/placement/reason.h"

namespace elbowroom::policy {

enum class NodeCode { Success, Unschedulable, UnschedulableAndUnresolvable };

[[nodiscard]] constexpr std::uint32_t bit_of(Reason reason) {
  return 1U << static_cast<std::uint32_t>(reason);
}

struct Refusal {
  NodeCode code = NodeCode::Success;
  std::uint32_t reasons = 0;  // one bit for each Reason

  [[nodiscard]] bool has(Reason reason) const {
    return (reasons >> static_cast<std::uint32_t>(reason) & 1U) != 0;
  }
  friend auto operator<=>(const Refusal&, const Refusal&) = default;
};

// Pods that come and go elsewhere may lift it.
[[nodiscard]] inline bool is_about_company(const Refusal& refusal) {
  return refusal.has(Reason::Spread) || refusal.has(Reason::Near) || refusal.has(Reason::Apart) ||
         refusal.has(Reason::ExistingAntiAffinity);
}

}  // namespace elbowroom::policy
