// Which moves pay: what the rescheduler's policies ask of a move. Contract:
// ReschedulerConfiguration.
#pragma once

#include <cstdint>

namespace elbowroom::policy {

// Moves pods from crowded nodes to under-utilised ones.
struct UnderutilizedNode {
  bool enabled = false;
  std::int64_t threshold = 20;  // percent; below it in cpu and in memory a node is under-utilised
  std::int64_t target = 50;     // percent; above it in cpu or in memory a node is crowded
  std::int64_t max_moves = 5;   // in a pass
  std::int64_t min_gain = 1;    // percent points

  friend bool operator==(const UnderutilizedNode&, const UnderutilizedNode&) = default;
};

// Moves pods to nodes that meet more of their preferred node affinity.
struct AffinityPreference {
  bool enabled = false;
  std::int64_t min_gain = 30;  // percent of the sum of all weights, > 0

  friend bool operator==(const AffinityPreference&, const AffinityPreference&) = default;
};

struct MovePolicies {
  UnderutilizedNode underutilized_node{};
  AffinityPreference affinity_preference{};

  friend bool operator==(const MovePolicies&, const MovePolicies&) = default;
};

}  // namespace elbowroom::policy
