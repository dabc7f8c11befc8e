#include "policy/placement/group_explanation.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "policy/preemption/preemption_messages.h"

namespace elbowroom::policy {
namespace {

constexpr std::string_view kPodScheduled = "PodScheduled";

bool names(const Pod& pod, const PodGroup& group) {
  return pod.ns == group.ns && pod.scheduling_group == group.name;
}

GroupMember member_of(const Pod& pod) {
  GroupMember member{.pod = key_of(pod),
                     .uid = pod.uid,
                     .phase = pod.phase,
                     .terminating = is_terminating(pod),
                     .node = pod.node,
                     .nominated_node = pod.nominated_node,
                     .priority = own_priority_of(pod),
                     .scheduler_name = pod.scheduler_name,
                     .gates = pod.placement.gates};
  const Condition* placed = find_condition(pod.conditions, kPodScheduled);
  if (placed != nullptr && placed->status == "False") member.message = placed->message;
  return member;
}

// How many pods of a group are where.
struct Tally {
  std::size_t bound = 0;               // have a node, and do not terminate
  std::vector<std::string> pending{};  // may be placed
  std::vector<std::string> gated{};    // have scheduling gates
  std::set<std::string> schedulers{};  // of those that may be placed
  [[nodiscard]] std::size_t all() const { return bound + pending.size() + gated.size(); }
};

Tally tally_of(const std::vector<GroupMember>& members) {
  Tally tally;
  for (const GroupMember& each : members) {
    if (each.terminating || each.phase == Phase::Succeeded || each.phase == Phase::Failed) continue;
    if (!each.node.empty()) {
      ++tally.bound;
    } else if (!each.gates.empty()) {
      tally.gated.push_back(each.pod);
    } else {
      tally.pending.push_back(each.pod);
      tally.schedulers.insert(each.scheduler_name);
    }
  }
  return tally;
}

std::vector<GroupMember> members_among(std::span<const Pod> pods, const PodGroup& group) {
  std::vector<GroupMember> members;
  for (const Pod& pod : pods) {
    if (names(pod, group)) members.push_back(member_of(pod));
  }
  std::ranges::sort(members, {}, [](const GroupMember& each) {
    return std::pair(std::string_view(each.pod), std::string_view(each.uid));
  });
  return members;
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string obstacle_in_words(const PodGroup& group) {
  const std::string obstacle(to_string(group.standing.obstacle));
  return obstacle.empty() || group.trouble.empty() ? obstacle : group.trouble;
}

std::size_t lacking_pods(const PodGroup& group, const Tally& tally) {
  const auto wanted = static_cast<std::size_t>(group.standing.min_count.value_or(1));
  return wanted > tally.all() ? wanted - tally.all() : 0;
}

// What it waits for whatever room there is; "": only for room, or for nothing.
std::string waits_for_others(const PodGroup& group, const Tally& tally) {
  if (const std::string obstacle = obstacle_in_words(group); !obstacle.empty()) {
    return "nothing that may come: none of its pods is placed, because " + obstacle;
  }
  if (const std::size_t lacking = lacking_pods(group, tally); lacking > 0) {
    const std::string more = counted(lacking, "more pod", "more pods");
    if (!group.standing.is_gang()) return more;
    return more + " (minCount is " + std::to_string(*group.standing.min_count) + ", and " +
           counted(tally.all(), "exists", "exist") + ")";
  }
  const auto ready = static_cast<std::int64_t>(tally.bound + tally.pending.size());
  const bool is_short = group.standing.is_gang() && ready < *group.standing.min_count;
  if ((tally.pending.empty() || is_short) && !tally.gated.empty()) {
    return "the scheduling gates of " + listed(tally.gated) + " to be removed";
  }
  return {};
}

std::string waits_for(const PodGroup& group, const Tally& tally,
                      const std::optional<GroupSchedulingDecision>& decision) {
  if (std::string others = waits_for_others(group, tally); !others.empty()) return others;
  if (!decision) return {};
  switch (decision->result) {
    case SchedulingResult::Bind:
      return "its scheduler (" + listed({tally.schedulers.begin(), tally.schedulers.end()}) +
             "): " + counted(decision->placements.size(), "pod fits", "pods fit") +
             " as things are";
    case SchedulingResult::Preempt:
      return counted(decision->victims.size(), "pod", "pods") +
             " of lower priority to be removed for it";
    case SchedulingResult::AwaitingVictims:
      return "pods that are on their way out, after which it fits";
    case SchedulingResult::Unschedulable:
      return "room: " + decision->message;
  }
  return {};
}

std::string summary_of(const PodGroup& group, const Tally& tally) {
  const std::string kind =
      group.standing.is_gang()
          ? "a gang (minCount " + std::to_string(*group.standing.min_count) + ")"
          : "no gang: its pods are placed one by one";
  return "pod group " + key_of(group) + ", " + kind + "; " +
         counted(tally.bound, "pod has a node", "pods have a node") + ", " +
         counted(tally.pending.size() + tally.gated.size(), "waits", "wait") +
         (group.deletion ? "; it is being deleted" : "");
}

}  // namespace

GroupExplanation explain_group(const ClusterMoment& moment, const PodGroup& group,
                               const std::map<std::string, std::string, std::less<>>& avoided) {
  GroupExplanation about{.group = group, .now = moment.now};
  about.members = members_among(moment.pods, group);
  const Tally tally = tally_of(about.members);
  if (!tally.pending.empty()) about.decision = schedule_group(moment, group, avoided);
  about.waits_for = waits_for(group, tally, about.decision);
  about.summary = summary_of(group, tally);
  return about;
}

std::string members_wait_for(std::span<const Pod> pods, const PodGroup& group) {
  const Tally tally = tally_of(members_among(pods, group));
  if (std::string others = waits_for_others(group, tally); !others.empty()) return others;
  if (tally.pending.empty()) return {};
  return "nodes for " + listed(tally.pending);
}

std::vector<const GroupMember*> other_priorities(const GroupExplanation& about) {
  std::vector<const GroupMember*> all;
  for (const GroupMember& each : about.members) {
    if (each.priority != about.group.standing.priority) all.push_back(&each);
  }
  return all;
}

}  // namespace elbowroom::policy
