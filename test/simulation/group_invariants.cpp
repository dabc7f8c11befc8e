#include "test/simulation/group_invariants.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <variant>

#include "scheduler/waiting/waiting_pod.h"
#include "test/simulation/cluster_history.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using policy::PodGroup;

bool is_there(const Pod& pod) { return !pod.deletion && !policy::is_finished(pod); }

std::vector<const Pod*> members_of(const SchedulerMirror& mirror, const std::string& group) {
  std::vector<const Pod*> members;
  for (const auto& [key, pod] : mirror.pods) {
    if (policy::group_key_of(pod) == group && !policy::is_finished(pod)) members.push_back(&pod);
  }
  return members;
}

bool place_some(PlainMoment& moment, const std::vector<const Pod*>& pods, std::size_t next,
                std::size_t wanted, const Uids& gone, Silent silent) {
  if (wanted == 0) return true;
  if (pods.size() - next < wanted) return false;
  for (const policy::Node& node : moment.cluster.nodes) {
    const bool is_silent =
        node.ready == policy::NodeReady::False || node.ready == policy::NodeReady::Unknown;
    const Pod& pod = *pods[next];
    if (moment.avoided.contains(node.name)) continue;
    if (is_silent && silent == Silent::TakeNone && !fits_beside(moment, pod, node, {})) continue;
    if (!fits_beside(moment, pod, node, gone)) continue;
    moment.cluster.pods.push_back(pod);
    moment.cluster.pods.back().node = node.name;
    const bool fits = place_some(moment, pods, next + 1, wanted - 1, gone, silent);
    moment.cluster.pods.pop_back();
    if (fits) return true;
  }
  return place_some(moment, pods, next + 1, wanted, gone, silent);
}

// Whether `wanted` of the pods find a node, whichever each takes of those where it fits.
bool place_anyhow(PlainMoment& moment, const std::vector<const Pod*>& pods, std::size_t next,
                  std::size_t wanted) {
  if (wanted == 0) return true;
  if (pods.size() - next < wanted) return false;
  const Pod& pod = *pods[next];
  bool finds_one = false;
  for (const policy::Node& node : moment.cluster.nodes) {
    if (moment.avoided.contains(node.name) || !fits_beside(moment, pod, node, {})) continue;
    finds_one = true;
    moment.cluster.pods.push_back(pod);
    moment.cluster.pods.back().node = node.name;
    const bool are_placed = place_anyhow(moment, pods, next + 1, wanted - 1);
    moment.cluster.pods.pop_back();
    if (!are_placed) return false;
  }
  return finds_one || place_anyhow(moment, pods, next + 1, wanted);
}

// Pods that were placed count for the spread of those after them. True also where the looks at a
// node are used up: then it is not known.
constexpr int kMostLooks = 20'000;
bool place_in_any_order(PlainMoment& moment, const std::vector<const Pod*>& pods,
                        std::size_t wanted, const Uids& gone, Silent silent, int& looks_left) {
  if (wanted == 0) return true;
  for (std::size_t next = 0; next < pods.size(); ++next) {
    std::vector<const Pod*> others = pods;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(next));
    for (const policy::Node& node : moment.cluster.nodes) {
      if (--looks_left < 0) return true;
      const bool is_silent =
          node.ready == policy::NodeReady::False || node.ready == policy::NodeReady::Unknown;
      if (moment.avoided.contains(node.name)) continue;
      if (is_silent && silent == Silent::TakeNone && !fits_beside(moment, *pods[next], node, {})) {
        continue;
      }
      if (!fits_beside(moment, *pods[next], node, gone)) continue;
      moment.cluster.pods.push_back(*pods[next]);
      moment.cluster.pods.back().node = node.name;
      const bool fits = place_in_any_order(moment, others, wanted - 1, gone, silent, looks_left);
      moment.cluster.pods.pop_back();
      if (fits) return true;
    }
  }
  return false;
}

}  // namespace

bool goes_whole(const Pod& pod) { return unit_uid(pod) != pod.uid; }

GangSeen gang_seen(const std::vector<const Pod*>& pods, const PodGroup& group) {
  GangSeen seen;
  for (const Pod* pod : pods) {
    if (!is_there(*pod)) continue;
    if (!pod->node.empty()) {
      ++seen.bound;
    } else if (pod->scheduler_name != kPlaced) {
      seen.has_stranger = true;
    } else if (pod->placement.gates.empty()) {
      seen.pending.push_back(pod);
    }
  }
  const auto wanted = static_cast<std::size_t>(group.standing.min_count.value_or(1));
  seen.needed = wanted > seen.bound ? wanted - seen.bound : 0;
  return seen;
}

bool gang_fits(const PlainMoment& moment, const std::vector<const Pod*>& pods, std::size_t wanted,
               const Uids& gone, Silent silent) {
  PlainMoment trial = moment;
  return place_some(trial, pods, 0, wanted, gone, silent);
}

bool gang_fits_anyhow(const PlainMoment& moment, const std::vector<const Pod*>& pods,
                      std::size_t wanted) {
  std::vector<const Pod*> as_they_came = pods;
  std::ranges::sort(as_they_came, {}, [](const Pod* pod) {
    return std::pair(pod->created.value_or(policy::Time{}), policy::key_of(*pod));
  });
  PlainMoment trial = moment;
  return place_anyhow(trial, as_they_came, 0, wanted);
}

bool gang_fits_in_some_order(const PlainMoment& moment, const std::vector<const Pod*>& pods,
                             std::size_t wanted, const Uids& gone, Silent silent) {
  if (gang_fits(moment, pods, wanted, gone, silent)) return true;
  PlainMoment trial = moment;
  int looks_left = kMostLooks;
  return place_in_any_order(trial, pods, wanted, gone, silent, looks_left);
}

// ---- bindings ----

void GroupInvariants::check(const std::string& name, const SchedulerMirror& mirror,
                            const std::vector<scheduler::Effect>& effects) {
  std::map<std::string, std::set<std::string>> placed;  // by group: the pods bound now
  for (const scheduler::Effect& effect : effects) {
    if (const auto* status = std::get_if<scheduler::WriteGroupStatus>(&effect.what)) {
      check_status(name, mirror, *status);
    }
    const auto* bind = std::get_if<scheduler::BindPod>(&effect.what);
    if (bind == nullptr) continue;
    const Pod* pod = mirror.find(bind->pod.uid);
    if (pod == nullptr || !policy::is_grouped(*pod)) continue;
    // It may be on that node already: the answer was lost.
    if (placing_.place_of(name, *pod) == bind->node) continue;
    check_member(name + " binds " + pod->name, mirror, *pod);
    placed[policy::group_key_of(*pod)].insert(pod->uid);
  }
  for (const auto& [key, uids] : placed) {
    const auto group = mirror.groups.find(key);
    if (group == mirror.groups.end() || !group->second.standing.is_gang()) continue;
    check_gang(name, mirror, group->second, uids);
  }
}

void GroupInvariants::check_member(const std::string& what, const SchedulerMirror& mirror,
                                   const Pod& pod) {
  const std::string key = policy::group_key_of(pod);
  const auto group = mirror.groups.find(key);
  if (group == mirror.groups.end()) {
    return broken_(what + " of the group " + key + ", which does not exist");
  }
  if (group->second.standing.obstacle != policy::GroupObstacle::None) {
    broken_(what + " of the group " + key + ", which is refused");
  }
}

void GroupInvariants::check_gang(const std::string& name, const SchedulerMirror& mirror,
                                 const PodGroup& group, std::set<std::string> placed) {
  const std::string key = policy::key_of(group);
  const std::size_t now = placed.size();
  for (const Pod* pod : members_of(mirror, key)) {
    if (!is_there(*pod)) continue;
    if (!placing_.place_of(name, *pod).empty()) placed.insert(pod->uid);
    if (pod->node.empty() && pod->scheduler_name != kPlaced) {
      broken_(name + " binds pods of the gang " + key + ", of which " + pod->name +
              " is another scheduler's");
    }
  }
  for (const auto& [uid, pod] : mirror.pods) {
    const bool goes_for_it = pod.deletion && is_ours(pod) && policy::holds_room(pod) &&
                             policy::removal_mark(pod)->uid == group.standing.uid &&
                             !mirror.lapsed_on(pod.node).overdue.contains(pod.uid);
    if (!goes_for_it || upstream_) continue;
    broken_(name + " binds pods of the gang " + key + " before its victim " + pod.name +
            " is gone");
  }
  const auto wanted = static_cast<std::size_t>(*group.standing.min_count);
  if (placed.size() >= wanted) return;
  broken_(name + " binds " + std::to_string(now) + " pods of the gang " + key + ", so that " +
          std::to_string(placed.size()) + " have a node, and minCount is " +
          std::to_string(wanted));
}

// That a group was placed is said once minCount of its pods have a node, and never taken back.
void GroupInvariants::check_status(const std::string& name, const SchedulerMirror& mirror,
                                   const scheduler::WriteGroupStatus& status) {
  const PodGroup* group = mirror.find_group(status.group.uid);
  const std::string what = name + " says of the group " + status.group.name;
  if (group == nullptr) return broken_(what + " something, and does not see it");
  for (const policy::Condition& each : status.set) {
    if (each.type != policy::kPodGroupInitiallyScheduled) continue;
    if (each.status == "True") {
      const auto members = members_of(mirror, policy::key_of(*group));
      const auto placed = std::ranges::count_if(members, [&](const Pod* pod) {
        return !pod->deletion && !placing_.place_of(name, *pod).empty();
      });
      if (placed < group->standing.min_count.value_or(1)) broken_(what + " that it is placed");
    } else if (policy::has_true(group->conditions, policy::kPodGroupInitiallyScheduled)) {
      broken_(what + " that it is not placed, and it was");
    }
  }
}

// ---- victims ----

void GroupInvariants::check_whole(const std::string& name, const SchedulerMirror& mirror,
                                  const Victims& victims) {
  std::set<std::string> groups;
  for (const Pod* victim : victims) {
    if (goes_whole(*victim)) groups.insert(policy::group_key_of(*victim));
  }
  for (const std::string& group : groups) {
    for (const Pod* pod : members_of(mirror, group)) {
      const bool goes =
          std::ranges::any_of(victims, [&](const Pod* victim) { return victim->uid == pod->uid; });
      const bool runs = !pod->node.empty() && policy::holds_room(*pod) && !pod->deletion;
      if (goes || !runs || mirror.was_asked_to_go(pod->uid)) continue;
      broken_(name + " removes a part of the group " + group + ", and leaves " + pod->name);
    }
  }
}

std::string GroupInvariants::unconfirmed(const SchedulerMirror& mirror, const PodGroup& preemptor,
                                         const GangSeen& gang) {
  const auto asked = mirror.confirmed_groups.find(preemptor.standing.uid);
  if (asked == mirror.confirmed_groups.end()) return "the API server was not asked for the group";
  if (asked->second.deletion) return "the API server says that the group is being deleted";
  const auto confirmed = std::ranges::count_if(gang.pending, [&](const Pod* pod) {
    const auto at = mirror.confirmed.find(pod->uid);
    return at != mirror.confirmed.end() && at->second.generation == pod->generation &&
           is_placed_by_us(at->second);
  });
  return static_cast<std::size_t>(confirmed) < gang.needed
             ? "the API server was not asked for its pods"
             : "";
}

void GroupInvariants::check_set(const std::string& name, const SchedulerMirror& mirror,
                                const PodGroup& preemptor, const Victims& victims) {
  const std::string key = policy::key_of(preemptor);
  const std::string what = name + " removes " + victims.front()->name + " for the gang " + key;
  if (!preemptor.standing.is_gang()) return broken_(what + ", which is none");
  if (preemptor.deletion) broken_(what + ", which is being deleted");
  if (preemptor.standing.obstacle != policy::GroupObstacle::None) broken_(what + ", it is refused");
  if (preemptor.standing.preemption_policy == policy::PreemptionPolicy::Never) {
    broken_(what + ", which never preempts");
  }
  GangSeen gang = gang_seen(members_of(mirror, key), preemptor);
  // Those that are being bound have their nodes.
  const auto binding = std::erase_if(
      gang.pending, [&](const Pod* pod) { return !placing_.place_of(name, *pod).empty(); });
  gang.needed -= std::min(gang.needed, binding);
  const std::string why = unconfirmed(mirror, preemptor, gang);
  if (!why.empty()) broken_(what + ", and " + why);
  if (gang.has_stranger) broken_(what + ", of which another scheduler has a pod");
  if (gang.needed == 0 && !upstream_) return broken_(what + ", which has its minCount");
  if (gang.pending.size() < gang.needed || gang.pending.empty()) {
    return broken_(what + ", of which too few pods wait");
  }
  const std::size_t wanted = std::max<std::size_t>(gang.needed, 1);
  const PlainMoment surely =
      placing_.moment_of(name, mirror, *gang.pending.front(), AssumedSeen::Known::Surely);
  const PlainMoment now =
      placing_.moment_of(name, mirror, *gang.pending.front(), AssumedSeen::Known::Perhaps);
  if (upstream_ ? gang_fits_anyhow(now, gang.pending, wanted)
                : gang_fits(now, gang.pending, wanted, {}, Silent::Take)) {
    return broken_(what + ", which fits without that");
  }
  Uids gone = now.leaving;
  if (!upstream_ && gang_fits(now, gang.pending, wanted, gone, Silent::TakeNone)) {
    return broken_(what + ", for which room is on its way");
  }
  for (const Pod* each : victims) gone.insert(each->uid);
  if (!gang_fits_in_some_order(surely, gang.pending, wanted, gone, Silent::TakeNone)) {
    broken_(what + ", which does not fit all the same");
  }
}

}  // namespace elbowroom::test
