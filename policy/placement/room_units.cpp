#include "policy/placement/room_units.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "policy/model/importance.h"

namespace elbowroom::policy {
namespace {

// By name, those whose object was not seen as well.
std::vector<std::uint32_t> nodes_with_whole_groups(const ClusterRoom& room) {
  std::vector<std::uint32_t> nodes = room.node_numbers();
  const bool all_known = nodes.size() == room.nodes().size();
  for (std::uint32_t node = 0; node < room.nodes().size(); ++node) {
    if (!room.figures()[node].is_known) nodes.push_back(node);
  }
  std::erase_if(nodes, [&](std::uint32_t node) { return room.nodes()[node].of_whole_groups == 0; });
  if (!all_known) {
    std::ranges::sort(nodes, {}, [&](std::uint32_t node) -> const std::string& {
      return room.nodes()[node].name;
    });
  }
  return nodes;
}

}  // namespace

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

void RoomUnits::list() {
  if (!first_pod_.empty()) return;
  std::vector<std::pair<const RoomHolding*, std::uint32_t>> found;  // by the node's name
  for (const std::uint32_t node : nodes_with_whole_groups(room_)) {
    for (const RoomHolding& each : room_.nodes()[node].holders) {
      if (group_of(each) != 0) found.emplace_back(&each, node);
    }
  }
  sort_by_group(found);
  for (Part& each : parts_) each.unit = unit_of(each.group, each.first, each.count);
}

void RoomUnits::sort_by_group(
    const std::vector<std::pair<const RoomHolding*, std::uint32_t>>& found) {
  const std::size_t groups = room_.groups().size();
  first_pod_.assign(groups + 1, 0);
  for (const auto& [pod, node] : found) ++first_pod_[group_of(*pod) + 1];
  std::partial_sum(first_pod_.begin(), first_pod_.end(), first_pod_.begin());
  std::vector<std::size_t> next(first_pod_.begin(), first_pod_.end() - 1);
  std::vector<std::size_t> last_part(groups, 0);
  pods_.resize(found.size());
  nodes_.resize(found.size());
  parts_.reserve(found.size());
  first_part_.assign(room_.nodes().size(), 0);
  end_of_parts_.assign(room_.nodes().size(), 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [pod, node] = found[i];
    const bool begins_node = i == 0 || found[i - 1].second != node;
    if (begins_node) first_part_[node] = parts_.size();
    const std::uint32_t group = group_of(*pod);
    const std::size_t at = next[group]++;
    pods_[at] = pod;
    nodes_[at] = node;
    if (at == first_pod_[group] || nodes_[at - 1] != node) {
      last_part[group] = parts_.size();
      parts_.push_back({.group = group, .first = at});
    }
    ++parts_[last_part[group]].count;
    end_of_parts_[node] = parts_.size();
    const bool ends_node = i + 1 == found.size() || found[i + 1].second != node;
    if (ends_node) note_stuck(std::span(parts_).subspan(first_part_[node]), node);
  }
}

void RoomUnits::note_stuck(std::span<const Part> parts, std::uint32_t node) {
  if (!is_stuck(room_, node, terms_)) return;
  for (const Part& each : parts) {
    kept_by_.emplace(each.group, "has a pod on node " + room_.nodes()[node].name +
                                     ", where no pod may be removed now");
  }
}

GroupUnit<RoomHolding> RoomUnits::unit_of(std::uint32_t group, std::size_t first,
                                          std::size_t count) const {
  const RoomGroup& of = room_.groups()[group];
  const std::size_t begin = first_pod_[group];
  const std::size_t end = first_pod_[group + 1];
  const std::span<const RoomHolding* const> pods = pods_;
  const auto kept_by = kept_by_.find(group);
  return {.uid = of.standing.uid,
          .key = of.key,
          .priority = of.standing.priority,
          .here = pods.subspan(first, count),
          .before = pods.subspan(begin, first - begin),
          .after = pods.subspan(first + count, end - first - count),
          .kept_by = kept_by == kept_by_.end() ? std::string_view() : kept_by->second};
}

RoomUnits::Whole RoomUnits::whole(std::uint32_t group) {
  list();
  const std::size_t first = first_pod_[group];
  const std::size_t count = first_pod_[group + 1] - first;
  const auto [at, added] = wholes_.try_emplace(group);
  if (added) at->second = unit_of(group, first, count);
  return {.unit = at->second, .nodes = std::span(nodes_).subspan(first, count)};
}

std::vector<HoldingUnit> RoomUnits::on(std::uint32_t node) {
  list();
  const Blocks<RoomHolding>& holders = room_.nodes()[node].holders;
  std::vector<HoldingUnit> units;
  units.reserve(holders.size());
  for (const RoomHolding& each : holders) {
    if (group_of(each) == 0) units.emplace_back(&each);
  }
  const auto parts =
      std::span(parts_).subspan(first_part_[node], end_of_parts_[node] - first_part_[node]);
  if (parts.empty()) return units;
  std::vector<std::pair<Importance, HoldingUnit>> ranked;
  ranked.reserve(units.size() + parts.size());
  for (const HoldingUnit& each : units) {
    ranked.emplace_back(importance_of(rank_of(each), room_.rules()), each);
  }
  for (const Part& each : parts) {
    const auto [known, added] = importance_.try_emplace(each.group);
    const HoldingUnit unit(each.unit);
    if (added) known->second = importance_of(rank_of(unit), room_.rules());
    ranked.emplace_back(known->second, unit);
  }
  std::ranges::sort(ranked, {}, [](const auto& each) { return each.first; });
  units.clear();
  for (const auto& each : ranked) units.push_back(each.second);
  return units;
}

}  // namespace elbowroom::policy
