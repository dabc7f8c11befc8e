#include "policy/placement/room_units.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "policy/model/importance.h"

namespace elbowroom::policy {

bool is_stuck(const ClusterRoom& room, std::uint32_t node, const ScheduleTerms& terms) {
  const NodeRoom& of = room.nodes()[node];
  const auto& none_on = terms.no_victims_on;
  if (!none_on.empty() && (none_on.contains("*") || none_on.contains(of.name))) return true;
  if (room.rules() == RuleSet::Upstream) return false;
  if (of.node.ready == NodeReady::False || of.node.ready == NodeReady::Unknown) return true;
  const NodeTotals& figures = room.figures()[node];
  if (!figures.has_terminating || !figures.has_marked) return false;
  return std::ranges::any_of(of.holders, [&](const RoomHolding& each) {
    return each.is_terminating() && each.mark && terms.lapsed.overdue.contains(each.uid);
  });
}

std::uint32_t RoomUnits::group_of(const RoomHolding& holding) const {
  if (holding.group == 0 || !room_.groups()[holding.group].is_whole()) return 0;
  return room_.rules() == RuleSet::Elbowroom && holding.is_terminating() ? 0 : holding.group;
}

const RoomUnits::Members& RoomUnits::members_of_group(std::uint32_t group) {
  const auto [at, added] = members_.try_emplace(group);
  Members& made = at->second;
  if (!added) return made;
  std::map<std::string_view, std::uint32_t> nodes;
  for (const auto& [key, node] : room_.groups()[group].members) {
    nodes.emplace(room_.nodes()[node].name, node);
  }
  for (const auto& [name, node] : nodes) {
    const std::size_t first = made.pods.size();
    for (const RoomHolding& each : room_.nodes()[node].holders) {
      if (group_of(each) != group) continue;
      made.pods.push_back(&each);
      made.nodes.push_back(node);
    }
    made.on_node.emplace(node, std::pair(first, made.pods.size() - first));
    if (made.kept_by.empty() && is_stuck(room_, node, terms_)) {
      made.kept_by =
          "has a pod on node " + room_.nodes()[node].name + ", where no pod may be removed now";
    }
  }
  return made;
}

const GroupUnit<RoomHolding>& RoomUnits::group_on(std::uint32_t group, std::uint32_t node) {
  const auto [at, added] = groups_.try_emplace(std::pair(group, node));
  GroupUnit<RoomHolding>& made = at->second;
  if (!added) return made;
  const RoomGroup& of = room_.groups()[group];
  const Members& members = members_of_group(group);
  const std::span<const RoomHolding* const> pods = members.pods;
  const auto [first, count] =
      node == kAllNodes ? std::pair(std::size_t{0}, pods.size()) : members.on_node.at(node);
  made = {.uid = of.standing.uid,
          .key = of.key,
          .priority = of.standing.priority,
          .here = pods.subspan(first, count),
          .before = pods.first(first),
          .after = pods.subspan(first + count),
          .kept_by = members.kept_by};
  return made;
}

RoomUnits::Whole RoomUnits::whole(std::uint32_t group) {
  return {.unit = group_on(group, kAllNodes), .nodes = members_of_group(group).nodes};
}

std::vector<HoldingUnit> RoomUnits::on(std::uint32_t node) {
  const Blocks<RoomHolding>& holders = room_.nodes()[node].holders;
  std::vector<HoldingUnit> units;
  units.reserve(holders.size());
  std::set<std::uint32_t> seen;
  for (const RoomHolding& each : holders) {
    const std::uint32_t group = group_of(each);
    if (group == 0) {
      units.emplace_back(&each);
    } else if (seen.insert(group).second) {
      units.emplace_back(group_on(group, node));
    }
  }
  if (seen.empty()) return units;
  std::vector<std::pair<Importance, HoldingUnit>> ranked;
  ranked.reserve(units.size());
  for (const HoldingUnit& each : units) {
    ranked.emplace_back(importance_of(rank_of(each), room_.rules()), each);
  }
  std::ranges::sort(ranked, {}, [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < ranked.size(); ++i) units[i] = ranked[i].second;
  return units;
}

}  // namespace elbowroom::policy
