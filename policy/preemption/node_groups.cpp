#include "policy/preemption/node_groups.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
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
    const auto by_name = [](const Pod* pod) { return std::pair(pod->node, key_of(*pod)); };
    std::ranges::sort(of.here, {}, by_name);
    std::ranges::sort(of.elsewhere, {}, by_name);
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
  for (const GroupUnit<Pod>& each : units_) {
    if (is_of(Unit<Pod>(each), pod)) return &each;
  }
  return nullptr;
}

void note_stuck(const Node& node, std::span<const Pod> pods, const OverduePods& lapsed,
                Unremovable& to) {
  const auto stuck = stuck_node(node, pods, lapsed);
  if (!stuck) return;
  for (const Pod& pod : pods) to.try_emplace(pod.uid, stuck->full());
}

}  // namespace elbowroom::policy
