// The messages about a gang that is not placed. The text about minCount is upstream's, which people
// search for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "policy/placement/gang_schedule.h"
#include "policy/placement/gang_trial.h"
#include "policy/placement/placement_messages.h"

namespace elbowroom::policy {

// "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining". Those that have a node count as
// scheduled. Source: kube-scheduler gangscheduling (1.37).
[[nodiscard]] std::string too_few_in_words(const Gang& gang, std::size_t placed,
                                           std::size_t remaining);

// "; default/z: Scheduling is blocked due to non-empty scheduling gates", the first one by name; ""
// where no member has gates.
[[nodiscard]] std::string gated_in_words(const Gang& gang);

// A member that keeps the gang from its minCount by itself, with the reason of each node.
struct StoppedMember {
  std::size_t member = 0;
  std::vector<RefusedNode> refused{};
  bool is_room = false;  // some node only lacks room for it
};

// The first member that fits on no node, whatever the other members take: those that no node admits
// come before those that lack room. None where the other members are enough, or where other pods
// that are wanted near or far may lift it. No member is placed in the trial.
[[nodiscard]] std::optional<StoppedMember> stopped_member(const Gang& gang, const GangTrial& trial);

// The same for a gang of which only `placed` fit, with the reasons of the first that does not:
// "...; default/a: 0/2 nodes are available: 2 Insufficient cpu." Of a gang that has its minCount
// the reasons alone. A member that no node admits comes first, as no preemption can help it.
[[nodiscard]] std::string unplaced_in_words(const Gang& gang, const GangTrial& trial,
                                            std::size_t placed);

// The same where that member stops the gang.
[[nodiscard]] std::string stopped_in_words(const Gang& gang, const GangTrial& trial,
                                           const StoppedMember& stopped);

// That a placement may exist which was not tried: " Not every placement was tried: ...".
[[nodiscard]] std::string gave_up_in_words(const GangTrial& trial);

}  // namespace elbowroom::policy
