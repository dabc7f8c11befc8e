// The whole configuration of moves: which of them pay, how many there may be, and what is never
// moved. Contract: ReschedulerConfiguration.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/ledger/webhook_rules.h"
#include "policy/moves/move_policies.h"

namespace elbowroom::policy {

// Namespaces whose pods may be moved.
struct NamespaceChoice {
  std::vector<std::string> include{};  // empty: all
  std::vector<std::string> exclude{};

  [[nodiscard]] bool has(std::string_view ns) const {
    const bool is_in = include.empty() || std::ranges::find(include, ns) != include.end();
    return is_in && std::ranges::find(exclude, ns) == exclude.end();
  }

  friend bool operator==(const NamespaceChoice&, const NamespaceChoice&) = default;
};

struct MoveRules {
  std::chrono::seconds interval{300};  // between two passes
  MovePolicies policies{};
  std::int64_t budget_reserve = 0;                // disruptions that are left in each budget
  std::chrono::seconds cool_down{600};            // of an owner after a move
  std::int64_t max_moves_per_hour = 60;           // in all
  std::int64_t max_moves_per_node_per_hour = 10;  // off one node
  std::chrono::seconds avoid_for{3600};           // how long successors avoid the node
  bool protect_local_storage = true;              // pods whose data is lost stay
  NamespaceChoice namespaces{};
  WebhookRules webhook{};

  [[nodiscard]] bool is_on() const {
    return policies.underutilized_node.enabled || policies.affinity_preference.enabled;
  }

  friend bool operator==(const MoveRules&, const MoveRules&) = default;
};

}  // namespace elbowroom::policy
