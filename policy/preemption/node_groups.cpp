#include "policy/preemption/node_groups.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "policy/model/charge.h"

namespace elbowroom::policy {
namespace {

// By default rules a terminating pod is of no group: it leaves by itself.
bool goes_with_its_group(const NodeMoment& moment, const Pod& pod) {
  if (!pod.group || pod.group->mode != DisruptionMode::All || pod.group->is_unclear()) return false;
  if (moment.rules == RuleSet::Upstream) return !is_finished(pod);
  return holds_room(pod) && !is_terminating(pod);
}

// Their order.
auto node_and_key(const Pod* pod) { return std::tuple(std::string_view(pod->node), key_of(*pod)); }

}  // namespace

NodeGroups::NodeGroups(const NodeMoment& moment) {
  if (moment.ignores_groups) return;
  std::map<std::string, Members>& groups = by_key_;
  std::size_t count = 0;
  for (const Pod& pod : moment.pods) {
    if (!goes_with_its_group(moment, pod)) continue;
    groups[group_key_of(pod)].here.push_back(&pod);
    ++count;
  }
  if (groups.empty()) return;
  for (const Pod& pod : moment.elsewhere) {
    if (!goes_with_its_group(moment, pod)) continue;
    const auto at = groups.find(group_key_of(pod));
    if (at == groups.end()) continue;
    at->second.elsewhere.push_back(&pod);
    ++count;
  }
  members_.reserve(count);
  units_.reserve(groups.size());
  for (auto& [key, of] : groups) {
    // In an order that does not depend on that of the input.
    std::ranges::sort(of.here, {}, node_and_key);
    std::ranges::sort(of.elsewhere, {}, node_and_key);
    const std::size_t first = members_.size();
    members_.insert(members_.end(), of.here.begin(), of.here.end());
    members_.insert(members_.end(), of.elsewhere.begin(), of.elsewhere.end());
    const GroupStanding& says = *of.here.front()->group;
    const std::span<const Pod* const> all(members_);
    units_.push_back({.uid = says.uid,
                      .key = key,
                      .priority = says.priority,
                      .here = all.subspan(first, of.here.size()),
                      .before = {},
                      .after = all.subspan(first + of.here.size(), of.elsewhere.size())});
  }
}

const GroupUnit<Pod>* NodeGroups::of(const Pod& pod) const {
  if (units_.empty() || !pod.group) return nullptr;
  const std::string key = group_key_of(pod);
  const auto unit =
      std::ranges::lower_bound(units_, std::string_view(key), {}, &GroupUnit<Pod>::key);
  if (unit == units_.end() || unit->key != key) return nullptr;
  // Two contradicting pods may have one name.
  const auto named = std::ranges::equal_range(unit->here, node_and_key(&pod), {}, node_and_key);
  return std::ranges::find(named, &pod) == named.end() ? nullptr : &*unit;
}

void note_stuck(const Node& node, std::span<const Pod> pods, const OverduePods& lapsed,
                Unremovable& to) {
  const auto stuck = stuck_node(node, pods, lapsed);
  if (!stuck) return;
  for (const Pod& pod : pods) to.try_emplace(pod.uid, stuck->full());
}

}  // namespace elbowroom::policy
