// One pass of the rescheduler: which pods are moved, to gain what, and which are not because of a
// budget. A move is promised only where the scheduler's own function, asked without the pod and
// with its node avoided, would put it on one of the nodes that it could move to. Each move is
// charged in the pass's room and budgets before the next one is looked for.
//
//   UnderutilizedNode    from the most crowded node, the least important pod first, while the node
//                        is crowded; to a node that was under-utilised at the start of the pass and
//                        stays at or below the target; not where its preferences score lower
//   AffinityPreference   where preferred node affinity scores better by at least the policy's gain;
//                        the largest gain first
//
// A pod is moved only where nothing forbids it (move_guard.h), its owner is at rest, and the hour's
// limits leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/moves/move_rules.h"
#include "policy/moves/move_scene.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

enum class MovePolicy { UnderutilizedNode, AffinityPreference };
[[nodiscard]] std::string_view to_string(MovePolicy policy);

struct Move {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
  std::string owner{};  // the uid of the object that rests afterwards: of a Deployment's pod that
  std::string owner_name{};  // KIND NAMESPACE/NAME
  std::string from{};
  MovePolicy policy = MovePolicy::UnderutilizedNode;
  std::int64_t gain = 0;             // 0 to 100, on the policy's own scale
  std::vector<std::string> could{};  // nodes, by name
  std::string expected{};            // the one of them where the scheduler would put it now
  std::string why{};

  friend bool operator==(const Move&, const Move&) = default;
};

// A pod that would have been moved but for a budget.
struct BlockedMove {
  std::string pod{};
  std::string uid{};
  MovePolicy policy = MovePolicy::UnderutilizedNode;
  std::string by{};

  friend bool operator==(const BlockedMove&, const BlockedMove&) = default;
};

struct MovePlan {
  std::vector<Move> moves{};           // in the order in which they are decided
  std::vector<BlockedMove> blocked{};  // by pod
  std::string explanation{};           // why the pod that is asked about is moved, or is not

  friend bool operator==(const MovePlan&, const MovePlan&) = default;
};

// At most one pod of an owner. The same scene gives the same plan.
[[nodiscard]] MovePlan plan_moves(const MoveScene& scene, const MoveRules& rules,
                                  const MoveTerms& terms);

// The same on objects, in whatever order they are. `owners`: those that are known.
[[nodiscard]] MovePlan plan_moves(const ClusterMoment& moment, const MoveRules& rules,
                                  const MoveTerms& terms = {},
                                  const std::vector<MoveOwner>& owners = {},
                                  bool knows_time = true);

}  // namespace elbowroom::policy
