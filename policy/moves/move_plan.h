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
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/moves/move_policies.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

enum class MovePolicy { UnderutilizedNode, AffinityPreference };
[[nodiscard]] std::string_view to_string(MovePolicy policy);

struct Move {
  std::string pod{};  // NAMESPACE/NAME
  std::string uid{};
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

  friend bool operator==(const MovePlan&, const MovePlan&) = default;
};

// At most one pod of an owner. The same objects give the same plan, in whatever order they are.
// `left_alone`: nodes that no pod leaves or comes to, each with the reason.
[[nodiscard]] MovePlan plan_moves(const ClusterMoment& moment, const MovePolicies& policies,
                                  const AvoidedByName& left_alone = {});

}  // namespace elbowroom::policy
