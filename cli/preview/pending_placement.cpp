#include "cli/preview/pending_placement.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/output/progress.h"
#include "cluster/unreadable_object.h"
#include "policy/placement/gang_schedule.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMostJudged = 1'000;

using policy::Pod;
using policy::SchedulingResult;

// The most important first, then the oldest.
std::vector<const Pod*> pending_in(const Manifests& manifests) {
  std::vector<const Pod*> found;
  for (const Pod& each : manifests.pods) {
    const bool waits =
        each.node.empty() && !policy::is_finished(each) && !policy::is_terminating(each);
    if (waits) found.push_back(&each);
  }
  std::ranges::sort(found, {}, [](const Pod* each) {
    return std::tuple(-std::int64_t{policy::priority_of(*each)},
                      each->created.value_or(policy::Time{}), policy::key_of(*each));
  });
  return found;
}

class Placing {
 public:
  Placing(const DecodedObjects& objects, policy::Time now)
      : objects_(objects),
        budgets_{.upstream = objects.manifests.pod_disruption_budgets,
                 .ours = objects.manifests.disruption_budgets},
        moment_{.nodes = objects.manifests.nodes,
                .pods = objects.manifests.pods,
                .budgets = budgets_,
                .namespaces = objects.manifests.namespaces,
                .selecting = objects.manifests.selecting,
                .volumes = &objects.manifests.volumes,
                .now = now},
        terms_{.now = now,
               .lapsed = policy::overdue_pods_at(objects.manifests.pods, now),
               .waits_until = now + policy::kLongestAwaited},
        room_(policy::room_of(moment_)) {
    for (const auto& [node, why] : objects.left_out.unclear) {
      terms_.avoided.emplace(node, cluster::kUnclearNode);
    }
    for (const Pod& each : moment_.pods) by_uid_.emplace(each.uid, &each);
  }

  // The pod, or the gang that it is a member of, if that was not placed yet.
  void place(const Pod& pod) {
    const bool with_others = pod.group && pod.group->is_gang() && pod.placement.gates.empty() &&
                             policy::group_obstacle(pod).empty();
    if (!with_others) return place_alone(pod);
    if (gangs_.insert(policy::group_key_of(pod)).second) place_gang(pod);
  }

  std::vector<PendingPod> take() { return std::move(placed_); }

 private:
  void place_alone(const Pod& pod) {
    policy::SchedulingDecision made = policy::schedule(room_, pod, terms_);
    PendingPod told{.pod = policy::key_of(pod), .result = made.result, .message = made.message};
    told.is_not_known = withholds(made.victims);
    if (!told.is_not_known) {
      told.node = made.node;
      settle(pod, made.result, made.node);
      for (const policy::VictimReport& each : made.victims) leave(each.uid);
      told.victims = std::move(made.victims);
    }
    placed_.push_back(std::move(told));
  }

  void place_gang(const Pod& pod) {
    const policy::PodGroup* group = find_group(objects_.manifests, policy::group_key_of(pod));
    policy::Gang gang = policy::gang_of(moment_, *group);
    policy::GroupSchedulingDecision made = policy::schedule_gang(room_, gang, terms_);
    const bool withheld = withholds(made.victims);
    for (const Pod& member : gang.pending) {
      PendingPod told{.pod = policy::key_of(member), .group = gang.key, .message = made.message};
      const auto at = std::ranges::find(made.placements, told.pod, &policy::MemberPlacement::pod);
      const bool has_place = at != made.placements.end();
      if (has_place) told.result = made.result;
      told.is_not_known = withheld && has_place;
      if (has_place && !withheld) {
        told.node = at->node;
        told.victims = std::exchange(made.victims, {});
        settle(member, made.result, at->node);
        for (const policy::VictimReport& each : told.victims) leave(each.uid);
      }
      placed_.push_back(std::move(told));
    }
  }

  [[nodiscard]] bool withholds(const std::vector<policy::VictimReport>& victims) const {
    return !victims.empty() && !objects_.lacks.empty();
  }

  // Those after it see what it takes.
  void settle(const Pod& pod, SchedulingResult result, const std::string& node) {
    if (result == SchedulingResult::Unschedulable) return;
    Pod placed = pod;
    (result == SchedulingResult::Bind ? placed.node : placed.nominated_node) = node;
    room_.remove(pod);
    room_.add(placed);
  }

  void leave(const std::string& uid) {
    const auto found = by_uid_.find(uid);
    if (found == by_uid_.end() || !gone_.insert(uid).second) return;
    Pod leaving = *found->second;
    leaving.deletion = moment_.now + std::chrono::seconds(leaving.termination_grace_seconds);
    room_.remove(*found->second);
    room_.add(leaving);
  }

  const DecodedObjects& objects_;
  const policy::Budgets budgets_;
  const policy::ClusterMoment moment_;
  policy::ScheduleTerms terms_;
  policy::ClusterRoom room_;
  std::map<std::string_view, const Pod*> by_uid_{};
  std::set<std::string> gangs_{};
  std::set<std::string> gone_{};
  std::vector<PendingPod> placed_{};
};

}  // namespace

PendingPlacement place_pending(const DecodedObjects& objects, policy::Time now) {
  const std::vector<const Pod*> pending = pending_in(objects.manifests);
  PendingPlacement all;
  if (pending.empty()) return all;
  Placing placing(objects, now);
  const std::size_t judged = std::min(pending.size(), kMostJudged);
  for (std::size_t i = 0; i < judged; ++i) {
    progress().tell("placing pending pods", i);
    placing.place(*pending[i]);
  }
  all.judged = placing.take();
  all.not_judged = pending.size() - std::min(pending.size(), all.judged.size());
  return all;
}

}  // namespace elbowroom::cli
