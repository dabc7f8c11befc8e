#include "policy/placement/gang_schedule.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "policy/model/charge.h"
#include "policy/placement/gang_messages.h"
#include "policy/placement/gang_seating.h"
#include "policy/placement/gang_trial.h"
#include "policy/placement/gang_victims.h"

namespace elbowroom::policy {
namespace {

using Leaving = GangTrial::Leaving;

// As they came, then by name. Source: framework PodGroupMemberPodsOrderingFunc (1.37).
std::vector<const Pod*> in_upstream_order(const std::vector<Pod>& pods) {
  std::vector<std::tuple<Time, std::string, const Pod*>> keyed;
  for (const Pod& pod : pods) keyed.emplace_back(pod.created.value_or(Time{}), key_of(pod), &pod);
  std::ranges::sort(
      keyed, {}, [](const auto& each) { return std::tie(std::get<0>(each), std::get<1>(each)); });
  std::vector<const Pod*> ordered;
  for (const auto& each : keyed) ordered.push_back(std::get<2>(each));
  return ordered;
}

// Large members first, as they fit in fewer places; then by name.
std::vector<const Pod*> in_order(const std::vector<Pod>& pods) {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string, const Pod*>> keyed;
  for (const Pod& pod : pods) {
    const Resources asks = totals_of(pod).desired;
    keyed.emplace_back(-asks.cpu.value, -asks.memory.value, key_of(pod), &pod);
  }
  std::ranges::sort(keyed, {}, [](const auto& each) {
    return std::tie(std::get<0>(each), std::get<1>(each), std::get<2>(each));
  });
  std::vector<const Pod*> ordered;
  for (const auto& each : keyed) ordered.push_back(std::get<3>(each));
  return ordered;
}

class GangDecider {
 public:
  GangDecider(ClusterRoom& room, const Gang& gang, const ScheduleTerms& terms)
      : room_(room),
        gang_(gang),
        terms_(terms),
        members_(upstream() ? in_upstream_order(gang.pending) : in_order(gang.pending)),
        needed_(needed_members(gang)) {
    decision_.group = gang.key;
  }

  GroupSchedulingDecision decide() {
    if (members_.empty() || members_.size() < needed_) {
      decision_.message = too_few_in_words(gang_, 0, members_.size()) + gated_in_words(gang_);
    } else if (!binds() && !awaits()) {
      preempt();
    }
    std::ranges::sort(decision_.placements, {}, &MemberPlacement::pod);
    return std::move(decision_);
  }

 private:
  bool upstream() const { return room_.rules() == RuleSet::Upstream; }

  bool binds() {
    GangTrial trial(room_, members_, terms_, Leaving::Stay);
    // Upstream takes one node after the other, and tries no other way.
    const auto [placed, gave_up] =
        upstream() ? SeatedGang{.placed = seat_all(trial)} : seat_gang(trial, needed_);
    if (placed == 0 || placed < needed_) {
      decision_.message = unplaced_in_words(gang_, trial, placed);
      if (gave_up) decision_.message += gave_up_in_words(trial);
      name_the_one_that_no_node_admits(trial);
      return false;
    }
    settle(SchedulingResult::Bind, trial);
    return true;
  }

  // What one member lacks, preemption may bring; what another one asks for, no node may ever have.
  void name_the_one_that_no_node_admits(GangTrial& trial) {
    if (needed_ == 0) return;
    trial.take_back_all();
    const auto stopped = stopped_member(gang_, trial);
    if (stopped && !stopped->is_room) decision_.message = stopped_in_words(gang_, trial, *stopped);
  }

  // By upstream's rules only a gang waits whose own victims terminate on a nominated node.
  bool awaits() {
    if (upstream()) {
      if (!may_preempt() || !waits_for_its_own_victims()) return false;
      decision_.result = SchedulingResult::AwaitingVictims;
      for (const Pod* pod : members_) {
        if (!room_.find_node(pod->nominated_node)) continue;
        decision_.placements.push_back({key_of(*pod), pod->uid, pod->nominated_node});
      }
      return true;
    }
    GangTrial trial(room_, members_, terms_, Leaving::Gone);
    seat_nominated(trial);
    const std::size_t placed = seat_gang(trial, needed_).placed;
    if (placed == 0 || placed < needed_) return false;
    settle(SchedulingResult::AwaitingVictims, trial);
    return true;
  }

  bool may_preempt() const { return gang_.standing.preemption_policy != PreemptionPolicy::Never; }

  bool waits_for_its_own_victims() const {
    return std::ranges::any_of(members_, [this](const Pod* pod) {
      const auto node = room_.find_node(pod->nominated_node);
      return node && std::ranges::any_of(room_.nodes()[*node].holders, [&](const RoomHolding& at) {
               return priority_of(at) < gang_.standing.priority && at.is_terminating() &&
                      at.preempted_by_scheduler;
             });
    });
  }

  void preempt() {
    if (needed_ == 0 && !upstream()) return;  // those above minCount cost no victims
    if (gang_.is_leaving) {
      decision_.message += " preemption: not eligible, as the pod group is being deleted.";
      return;
    }
    if (!may_preempt()) {
      decision_.message += " preemption: not eligible due to preemptionPolicy=Never.";
      return;
    }
    GangTrial trial(room_, members_, terms_, upstream() ? Leaving::Stay : Leaving::Gone);
    GangVictims victims(trial, gang_, std::max<std::size_t>(needed_, 1));
    if (!victims.choose()) {
      explain_in_vain(victims, trial);
      return;
    }
    if (!upstream()) seat_all(trial);  // those above minCount, where there is room by now
    settle(victims.chosen().empty() ? SchedulingResult::Bind : SchedulingResult::Preempt, trial);
    decision_.victims = victims.reports();
    decision_.budget_violations = victims.budget_violations();
  }

  void explain_in_vain(const GangVictims& victims, GangTrial& trial) {
    victims.remove_all();
    const auto stopped = stopped_member(gang_, trial);
    if (stopped) decision_.message = stopped_in_words(gang_, trial, *stopped);
    decision_.message += " " + victims.in_vain(stopped ? &*stopped : nullptr);
  }

  void settle(SchedulingResult result, GangTrial& trial) {
    decision_.result = result;
    if (result == SchedulingResult::Bind) decision_.message = "";
    for (std::size_t member = 0; member < trial.members(); ++member) {
      const std::uint32_t node = trial.node_of(member);
      if (node == GangTrial::kNone) continue;
      const Pod& pod = trial.pod(member);
      decision_.placements.push_back({key_of(pod), pod.uid, room_.nodes()[node].name});
    }
    if (result != SchedulingResult::Bind) decision_.outranked = outranked_by(trial, gang_);
  }

  ClusterRoom& room_;
  const Gang& gang_;
  const ScheduleTerms& terms_;
  std::vector<const Pod*> members_;
  std::size_t needed_;
  GroupSchedulingDecision decision_{};
};

}  // namespace

std::size_t needed_members(const Gang& gang) {
  const auto wanted = static_cast<std::size_t>(gang.standing.min_count.value_or(1));
  return wanted > gang.bound ? wanted - gang.bound : 0;
}

GroupSchedulingDecision schedule_gang(ClusterRoom& room, const Gang& gang,
                                      const ScheduleTerms& terms) {
  return GangDecider(room, gang, terms).decide();
}

std::vector<std::string> infeasible_nominations(ClusterRoom& room, const Gang& gang,
                                                const ScheduleTerms& terms) {
  ScheduleTerms in_the_end = terms;
  in_the_end.lapsed = {};  // pods that leave late leave, too
  const std::vector<const Pod*> members = in_order(gang.pending);
  GangTrial trial(room, members, in_the_end, Leaving::Gone);
  const auto is_feasible = [&](std::size_t member, std::uint32_t node) {
    if (!room.figures()[node].is_known) return false;
    const NodeFilter& filter = trial.filter_of(member);
    if (filter.permanent_refusal(node).code != NodeCode::Success) return false;
    const Refusal refusal = filter.refusal_beside(node, trial.occupancy_of(member, node));
    return refusal.code == NodeCode::Success || is_about_company(refusal);
  };
  std::vector<std::string> infeasible;
  for (std::size_t member = 0; member < trial.members(); ++member) {
    const Pod& pod = trial.pod(member);
    if (pod.nominated_node.empty()) continue;
    const auto node = room.find_node(pod.nominated_node);
    if (node && is_feasible(member, *node)) {
      trial.place(member, *node);
    } else {
      infeasible.push_back(key_of(pod));
    }
  }
  std::ranges::sort(infeasible);
  return infeasible;
}

Gang gang_of(const ClusterMoment& moment, const PodGroup& group) {
  Gang gang{.key = key_of(group), .standing = group.standing};
  gang.is_leaving = group.deletion.has_value();
  for (const Pod& pod : moment.pods) {
    if (!pod.group || group_key_of(pod) != gang.key || is_finished(pod)) continue;
    if (is_terminating(pod)) continue;
    if (!pod.node.empty()) {
      ++gang.bound;
    } else if (pod.placement.gates.empty()) {
      gang.pending.push_back(pod);
    } else {
      gang.gated.push_back(key_of(pod));
    }
  }
  return gang;
}

}  // namespace elbowroom::policy
