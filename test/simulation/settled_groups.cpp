#include "test/simulation/settled_groups.h"

#include <algorithm>

#include "policy/model/removal_mark.h"
#include "policy/resize/resize.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using policy::PodGroup;
using scheduler::TurnResult;

bool has_leaving_victims(const PlainMoment& moment, const PodGroup& group) {
  return std::ranges::any_of(moment.cluster.pods, [&](const Pod& each) {
    const auto mark = policy::removal_mark(each);
    return moment.leaving.contains(each.uid) && mark && mark->uid == group.standing.uid;
  });
}

std::size_t wanted_of(const GangSeen& gang) { return std::max<std::size_t>(gang.needed, 1); }

}  // namespace

void SettledGroups::check(const SettledLeader& leader, const std::vector<std::string>& nodes) {
  const SettledWorld world = settled_world(simulation_, nodes);
  check_marks(leader, world);
  check_resizes(leader, world);
  for (const auto& [key, group] : world.groups) {
    const bool is_placed =
        group.standing.is_gang() && group.standing.obstacle == policy::GroupObstacle::None;
    if (is_placed) check_gang(leader, world, group);
  }
}

void SettledGroups::check_marks(const SettledLeader& leader, const SettledWorld& world) {
  const auto& waiting = simulation_.scheduler(leader.name)->reactor().waiting();
  for (const Pod& pod : world.pods) {
    if (!is_ours(pod) || pod.deletion || pod.node.empty() || policy::is_finished(pod)) continue;
    const auto mark = *policy::removal_mark(pod);
    const bool stands = std::ranges::any_of(waiting, [&](const auto& each) {
      return each.second.uid == mark.uid && each.second.generation == mark.generation &&
             each.second.result && scheduler::row_of(*each.second.result).marks_stand;
    });
    if (!stands) broken_("settled: " + pod.name + " carries a mark that means nothing any more");
  }
}

// ---- gangs ----

void SettledGroups::check_gang(const SettledLeader& leader, const SettledWorld& world,
                               const PodGroup& group) {
  const std::string key = policy::key_of(group);
  std::vector<const Pod*> members;
  for (const Pod& pod : world.pods) {
    if (policy::group_key_of(pod) == key) members.push_back(&pod);
  }
  const GangSeen gang = gang_seen(members, group);
  if (gang.pending.empty()) return;
  const std::string what = "settled: the gang " + key + " waits, and ";
  const auto& waiting = simulation_.scheduler(leader.name)->reactor().waiting();
  const auto at = waiting.find("@" + key);
  const bool is_known =
      at != waiting.end() && at->second.uid == group.standing.uid && at->second.result;
  const bool is_binding = std::ranges::any_of(
      gang.pending, [&](const Pod* pod) { return leader.assumed.bindings().contains(pod->uid); });
  if (is_binding) return;  // this very moment, or it is not known
  if (!is_known) return broken_(what + "the scheduler says nothing of it");
  PlainMoment moment = settled_moment(leader, world, *gang.pending.front(), upstream_);
  std::erase_if(moment.nominated,
                [&](const Pod& each) { return policy::group_key_of(each) == key; });
  const std::string found = untruth({leader, group, gang, at->second, std::move(moment)});
  if (found.empty()) return;
  broken_(what + found + "; the scheduler says " +
          std::string(scheduler::row_of(*at->second.result).name) + " (" + at->second.message +
          ")");
}

std::string SettledGroups::untruth(const Look& look) const {
  const TurnResult result = *look.said.result;
  if (look.gang.has_stranger || look.gang.pending.size() < look.gang.needed) {
    return result == TurnResult::Unschedulable ? "" : "it cannot be placed";
  }
  const auto fits = [&](const Uids& gone, Silent silent) {
    return gang_fits(look.moment, look.gang.pending, wanted_of(look.gang), gone, silent);
  };
  const bool waits = result == TurnResult::Awaits || result == TurnResult::Preempts;
  if (waits && has_leaving_victims(look.moment, look.group))
    return "";  // nothing is bound before the last
  if (upstream_) {
    const bool fits_anyhow = gang_fits_anyhow(look.moment, look.gang.pending, wanted_of(look.gang));
    return fits_anyhow ? "it fits" : "";
  }
  if (fits({}, Silent::Take)) return "it fits";
  const bool comes = fits(look.moment.leaving, Silent::TakeNone);
  switch (result) {
    case TurnResult::Awaits:
    case TurnResult::Preempts:
      return comes ? untruth_of_nominations(look) : "its room does not come";
    case TurnResult::Unschedulable:
      if (comes) return "room becomes free for it";
      for (const Pod* each : look.gang.pending) {
        if (!each->nominated_node.empty()) {
          return each->name + " is nominated to " + each->nominated_node + " all the same";
        }
      }
      return would_help(look) ? "others could go for it" : "";
    case TurnResult::Broken:
    case TurnResult::TooMany:
      return would_help(look) ? "" : "nobody could go for it";
    case TurnResult::Refused:
      return look.leader.mirror.refused.empty() ? "nobody was refused" : "";
    default:
      return "it has no answer";
  }
}

// As many as it needs are.
std::string SettledGroups::untruth_of_nominations(const Look& look) const {
  const auto nominated = std::ranges::count_if(
      look.gang.pending, [](const Pod* each) { return !each->nominated_node.empty(); });
  return static_cast<std::size_t>(nominated) < wanted_of(look.gang) ? "too few are nominated" : "";
}

bool SettledGroups::would_help(const Look& look) const {
  const bool may = look.gang.needed > 0 && !look.group.deletion &&
                   look.group.standing.preemption_policy != policy::PreemptionPolicy::Never;
  if (!may) return false;
  const Uids gone = removable_below(look.leader, look.moment, look.group.standing.priority);
  return gang_fits(look.moment, look.gang.pending, look.gang.needed, gone, Silent::TakeNone);
}

// ---- resizes ----

void SettledGroups::check_resizes(const SettledLeader& leader, const SettledWorld& world) {
  const auto& waiting = simulation_.scheduler(leader.name)->reactor().waiting();
  for (const Pod& pod : world.pods) {
    if (pod.node.empty() || !policy::is_deferred(pod) || pod.deletion) continue;
    const auto at = waiting.find(policy::key_of(pod));
    if (at == waiting.end() || at->second.uid != pod.uid || !at->second.result) {
      broken_("settled: " + pod.name + " is Deferred, and the scheduler says nothing of it");
      continue;
    }
    // Which of two gets the room is not asked here.
    const bool is_alone = std::ranges::none_of(world.pods, [&](const Pod& each) {
      return each.uid != pod.uid && each.node == pod.node && policy::resize_is_pending(each);
    });
    if (*at->second.result != TurnResult::NoVictims || upstream_ || !is_alone) continue;
    RoomSeen room;
    room.name = pod.node;
    room.lapsed = leader.mirror.lapsed_on(pod.node);
    for (const policy::Node& node : world.nodes) {
      if (node.name == pod.node) room.node = node;
    }
    for (const Pod& each : world.pods) {
      if (each.node == pod.node) room.pods[each.uid] = each;
    }
    const PlainMoment moment = settled_moment(leader, world, pod, upstream_);
    const Uids gone = removable_below(leader, moment, policy::priority_of(pod));
    if (!fits(room, pod, [&](const Pod& each) { return !gone.contains(each.uid); })) continue;
    broken_("settled: others could go for " + pod.name + "; the scheduler says " +
            at->second.message);
  }
}

}  // namespace elbowroom::test
