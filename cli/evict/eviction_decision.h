// The answer of `elbowroom evict`: whether the pod was evicted, and what stood in the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/document.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

enum class EvictionResult { Evicted, WouldEvict, Blocked };
[[nodiscard]] std::string_view to_string(EvictionResult result);

struct EvictionDecision {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::string node{};
  EvictionResult result = EvictionResult::Blocked;
  std::string by{};                    // where it is Blocked: the budgets or the rule, in words
  std::optional<policy::Time> next{};  // when all that block allow the next; none: not known
  bool passes = true;                  // Blocked: the passing of time may help
  bool is_by_budget = false;           // Blocked: a disruption budget is in the way
  // Until when the controller's pods avoid the node, or would; none: nobody asked for that.
  std::optional<policy::Time> avoided_until{};
};

// Contract 2: kind EvictionDecision.
[[nodiscard]] Value encode_eviction(const EvictionDecision& decision);
// The same for people.
[[nodiscard]] std::string eviction_text(const EvictionDecision& decision);

}  // namespace elbowroom::cli
