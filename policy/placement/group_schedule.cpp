#include "policy/placement/group_schedule.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

namespace elbowroom::policy {
namespace {

// The pods of a group without a gang, each with what those before it have taken and freed.
class OneByOne {
 public:
  OneByOne(const ClusterMoment& moment, const PodGroup& group, ScheduleTerms terms)
      : moment_(moment),
        terms_(std::move(terms)),
        pods_(moment.pods.begin(), moment.pods.end()),
        room_(room_of(moment)) {
    decision_.group = key_of(group);
  }

  GroupSchedulingDecision decide(std::vector<Pod> members) {
    std::ranges::sort(members, {}, [](const Pod& pod) { return key_of(pod); });
    for (const Pod& pod : members) place(pod);
    if (bound_ > 0 && decision_.victims.empty() && !awaits_) {
      decision_.result = SchedulingResult::Bind;
    }
    return std::move(decision_);
  }

 private:
  void place(const Pod& pod) {
    const SchedulingDecision one = schedule(room_, pod, terms_);
    if (one.result == SchedulingResult::Unschedulable) {
      if (decision_.message.empty()) decision_.message = one.pod + ": " + one.message;
      return;
    }
    decision_.placements.push_back({one.pod, pod.uid, one.node});
    Pod placed = pod;
    if (one.result == SchedulingResult::Bind) {
      ++bound_;
      placed.node = one.node;
    } else {
      awaits_ = true;
      placed.nominated_node = one.node;
      if (by_weight(decision_.result, one.result)) decision_.result = one.result;
    }
    room_.remove(pod);
    room_.add(placed);
    decision_.budget_violations += one.budget_violations;
    for (const VictimReport& victim : one.victims) leave(victim);
    decision_.outranked.insert(decision_.outranked.end(), one.outranked.begin(),
                               one.outranked.end());
  }

  // Preempt says more than AwaitingVictims, and that more than Unschedulable.
  static bool by_weight(SchedulingResult a, SchedulingResult b) {
    const auto weight = [](SchedulingResult of) {
      return of == SchedulingResult::Preempt ? 2 : of == SchedulingResult::AwaitingVictims ? 1 : 0;
    };
    return weight(a) < weight(b);
  }

  void leave(const VictimReport& victim) {
    decision_.victims.push_back(victim);
    const auto pod = std::ranges::find(pods_, victim.uid, &Pod::uid);
    if (pod == pods_.end()) return;
    room_.remove(*pod);
    pod->deletion = moment_.now + std::chrono::seconds(pod->termination_grace_seconds);
    room_.add(*pod);
  }

  const ClusterMoment& moment_;
  const ScheduleTerms terms_;
  std::vector<Pod> pods_;
  ClusterRoom room_;
  std::size_t bound_ = 0;
  bool awaits_ = false;
  GroupSchedulingDecision decision_{};
};

}  // namespace

GroupSchedulingDecision schedule_group(
    const ClusterMoment& moment, const PodGroup& group,
    const std::map<std::string, std::string, std::less<>>& avoided) {
  const std::string_view obstacle = to_string(group.standing.obstacle);
  if (!obstacle.empty()) {
    const std::string why = group.trouble.empty() ? std::string(obstacle) : group.trouble;
    return {.group = key_of(group), .message = "pod group " + key_of(group) + ": " + why};
  }
  ScheduleTerms terms{.now = moment.now,
                      .lapsed = overdue_pods_at(moment.pods, moment.now),
                      .waits_until = moment.now + kLongestAwaited,
                      .avoided = avoided};
  Gang gang = gang_of(moment, group);
  std::set<std::string> schedulers;
  for (const Pod& pod : moment.pods) {
    const bool waits = pod.group && group_key_of(pod) == gang.key && pod.node.empty() &&
                       !is_finished(pod) && !is_terminating(pod);
    if (waits) schedulers.insert(pod.scheduler_name);  // gated ones, too
  }
  const bool is_gang = group.standing.is_gang();
  if (is_gang && schedulers.size() > 1) {
    return {.group = gang.key,
            .message = "pod group " + gang.key + ": its pods name several schedulers (" +
                       *schedulers.begin() + " and " + *schedulers.rbegin() + ")"};
  }
  if (!is_gang && moment.rules == RuleSet::Elbowroom) {
    return OneByOne(moment, group, std::move(terms)).decide(std::move(gang.pending));
  }
  // Upstream places as many pods of any group as it can.
  if (!is_gang) gang.standing.min_count = 1;
  for (Pod& pod : gang.pending) pod.group = gang.standing;
  ClusterRoom room = room_of(moment);
  return schedule_gang(room, gang, terms);
}

SchedulingDecision decision_for(const Pod& member, const GroupSchedulingDecision& decision) {
  SchedulingDecision made{.pod = key_of(member), .message = decision.message};
  const auto placement = std::ranges::find(decision.placements, made.pod, &MemberPlacement::pod);
  if (placement == decision.placements.end()) {
    made.message = "pod group " + decision.group + ": " +
                   (decision.message.empty() ? "it is placed without this pod" : decision.message);
    return made;
  }
  made.result = decision.result;
  made.node = placement->node;
  made.victims = decision.victims;
  made.budget_violations = decision.budget_violations;
  made.outranked = decision.outranked;
  return made;
}

}  // namespace elbowroom::policy
