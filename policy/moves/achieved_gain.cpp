#include "policy/moves/achieved_gain.h"

#include <algorithm>

#include "policy/placement/node_filter.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kAll = 100;

std::int64_t preferred(ClusterRoom& room, const Move& move, const Pod& successor, Time now) {
  std::int64_t all = 0;
  for (const PreferredNodes& each : successor.placement.preferred_nodes) all += each.weight;
  const auto from = room.find_node(move.from);
  const auto to = room.find_node(successor.node);
  if (all <= 0 || !from || !to) return 0;
  const ScheduleTerms terms{.now = now};
  const NodeFilter filter(room, successor, terms);
  return (filter.match().preference(*to) - filter.match().preference(*from)) * kAll / all;
}

}  // namespace

std::int64_t achieved_gain(ClusterRoom& room, const Move& move, const Pod& successor,
                           const NodeLoad& before, Time now) {
  if (move.policy == MovePolicy::AffinityPreference) {
    return std::clamp(preferred(room, move, successor, now), -kAll, kAll);
  }
  const auto to = room.find_node(successor.node);
  if (!to) return 0;
  return std::clamp(before.percent_above(NodeLoad(room.figures()[*to])), -kAll, kAll);
}

}  // namespace elbowroom::policy
