#include "policy/preemption/removed_groups.h"

#include <algorithm>
#include <set>

#include "policy/preemption/preemption_messages.h"

namespace elbowroom::policy {
namespace {

// A pod may be named like its group, so the unit's name alone does not tell.
bool goes_with_its_group(const ChosenVictim& victim) {
  const Pod& pod = *victim.pod;
  return pod.group && pod.group->mode == DisruptionMode::All && !pod.group->is_unclear() &&
         victim.unit == group_key_of(pod);
}

bool runs(const Pod& pod) { return !pod.node.empty() && !is_finished(pod) && !is_terminating(pod); }

}  // namespace

std::vector<RemovedGroup> whole_groups(std::span<const ChosenVictim> victims) {
  std::map<std::string, RemovedGroup> groups;
  std::map<std::string, std::set<std::string>> nodes;
  for (const ChosenVictim& each : victims) {
    if (!goes_with_its_group(each)) continue;
    RemovedGroup& group = groups[each.unit];
    group.group = each.unit;
    group.uid = each.pod->group->uid;
    ++group.pods;
    nodes[each.unit].insert(each.pod->node);
  }
  std::vector<RemovedGroup> all;
  for (auto& [key, group] : groups) {
    group.nodes.assign(nodes[key].begin(), nodes[key].end());
    all.push_back(std::move(group));
  }
  return all;
}

void count_running(std::span<const Pod> pods, RunningMembers& to) {
  for (const Pod& pod : pods) {
    if (pod.group && runs(pod)) ++to[group_key_of(pod)];
  }
}

std::vector<DepletedGang> depleted_gangs(std::span<const ChosenVictim> victims,
                                         const RunningMembers& running) {
  std::map<std::string, DepletedGang> gangs;
  RunningMembers lost;
  for (const ChosenVictim& each : victims) {
    const Pod& pod = *each.pod;
    if (!pod.group || !pod.group->is_gang()) continue;
    const std::string key = group_key_of(pod);
    gangs[key] = {.group = key, .uid = pod.group->uid, .min_count = *pod.group->min_count};
    if (runs(pod)) ++lost[key];
  }
  std::vector<DepletedGang> all;
  for (auto& [key, gang] : gangs) {
    const auto counted = running.find(key);
    const std::size_t before = counted == running.end() ? 0 : counted->second;
    gang.left = before - std::min(before, lost[key]);
    if (gang.left < static_cast<std::size_t>(gang.min_count)) all.push_back(std::move(gang));
  }
  return all;
}

PodText removed_groups_in_words(const std::vector<RemovedGroup>& whole,
                                const std::vector<DepletedGang>& depleted,
                                std::string_view reader) {
  PodText words;
  for (const RemovedGroup& each : whole) {
    words += PodText("; pod group ") + name_for_reader(reader, each.group, each.uid) +
             " goes whole (" + std::to_string(each.pods) +
             (each.pods == 1 ? " pod on node" : " pods on node") +
             (each.nodes.size() == 1 ? " " : "s ") + listed(each.nodes) + ")";
  }
  for (const DepletedGang& each : depleted) {
    words += PodText("; pod group ") + name_for_reader(reader, each.group, each.uid) + " keeps " +
             std::to_string(each.left) + " of minCount (" + std::to_string(each.min_count) + ")";
  }
  return words;
}

}  // namespace elbowroom::policy
