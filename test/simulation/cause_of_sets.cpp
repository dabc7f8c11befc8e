#include "test/simulation/cause_of_sets.h"

#include <algorithm>
#include <optional>

#include "policy/model/charge.h"
#include "policy/resize/retry_order.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using Time = SchedulerMirror::Time;

constexpr Time kWindow{600'000};
constexpr std::size_t kSetsPerPod = 3;
constexpr std::size_t kPodsPerNode = 10;

const policy::Condition* progress_of(const Pod& pod) {
  return policy::find_condition(pod.conditions, policy::kPodResizeInProgress);
}

// The difference of one pod that exists in both; "": nothing that matters.
std::string change_of(const Pod& before, const Pod& now, bool is_preemptor) {
  if (has_more(policy::held_charge(now), policy::held_charge(before))) return "grew";
  const bool wants_another = now.generation != before.generation ||
                             policy::is_deferred(now) != policy::is_deferred(before);
  if (wants_another && !is_preemptor) return "wants another size";
  if (policy::totals_of(now).allocated != policy::totals_of(before).allocated) return "was judged";
  const policy::Condition* was = progress_of(before);
  const policy::Condition* is = progress_of(now);
  if ((was == nullptr) != (is == nullptr)) return "is being resized";
  if (was != nullptr && was->reason != is->reason) return "is resized in another way";
  return "";
}

// Whether the node accepts pods, and which.
std::string change_of(const policy::Node& before, const policy::Node& now) {
  if (now.name.empty()) return "the node is gone";
  if (before.unschedulable != now.unschedulable) return "it was cordoned";
  if (before.taints != now.taints || before.labels != now.labels) return "it takes other pods";
  return before.ready != now.ready ? "Ready" : "";
}

// The difference of a whole node; "": nothing that matters. A resize is bound to its node, so the
// node's rules for accepting pods do not matter to it.
std::string change_of(const RoomSeen& before, const RoomSeen& now, const std::string& preemptor,
                      bool is_resize) {
  const std::string changed =
      is_resize && !now.node.name.empty() ? "" : change_of(before.node, now.node);
  if (!changed.empty()) return changed;
  if (before.is_avoided != now.is_avoided) return "it turned out a pod like it, or long ago";
  if (before.nominated != now.nominated) return "nominations";
  if (before.lapsed != now.lapsed) return "room on its way is not believed in any more";
  for (const auto& [uid, pod] : now.pods) {
    const auto at = before.pods.find(uid);
    if (at == before.pods.end()) {
      if (!has_more(policy::held_charge(pod), {})) continue;
      return pod.name + " arrived";
    }
    const std::string change = change_of(at->second, pod, uid == preemptor);
    if (!change.empty()) return pod.name + " " + change;
  }
  return "";
}

// The pod that is tried earlier and takes the freed room: it fits then, or it may make room itself
// and waits for its turn, and it is first to get room that is freed in the meantime. nullptr: none.
const Pod* first_served(const RoomSeen& room, const Pod& preemptor) {
  const auto key = policy::retry_key(preemptor, 0);
  for (const auto& [uid, pod] : room.pods) {
    const bool is_before = uid != preemptor.uid && !pod.deletion && policy::is_deferred(pod) &&
                           policy::retry_key(pod, 0) < key;
    if (!is_before) continue;
    const bool may_preempt = pod.preemption_policy != policy::PreemptionPolicy::Never;
    if (may_preempt || fits(room, pod, [&](const Pod& each) { return !leaves(room, each); })) {
      return &pod;
    }
  }
  return nullptr;
}

}  // namespace

void CauseOfSets::check(const std::string& name, const SchedulerMirror& mirror,
                        const RoomOf& room_of, const Pod& preemptor,
                        const std::vector<const Pod*>& victims) {
  Chosen set{.room = room_of(preemptor.node)};
  for (const Pod* victim : victims) set.uids.insert(victim->uid);
  set.room.nominated.erase(nomination_of(preemptor));
  for (const auto& [node, seen] : mirror.nodes) {
    const Pod* waits = mirror.find(preemptor.uid);
    if (node == preemptor.node || waits == nullptr || !waits->node.empty()) continue;
    set.elsewhere[node] = room_of(node);
    set.elsewhere[node].nominated.erase(nomination_of(preemptor));
  }
  auto& earlier = chosen_[{preemptor.uid, preemptor.generation}];
  const bool is_known = std::ranges::any_of(
      earlier, [&](const Chosen& each) { return std::ranges::includes(each.uids, set.uids); });
  // Under upstream's rules a terminating pod counts as staying, so one set may follow another.
  if (!earlier.empty() && !is_known && !upstream_ && !goes_elsewhere(earlier.back(), set.room) &&
      cause_between(earlier.back(), room_of(earlier.back().room.name), preemptor, mirror).empty()) {
    std::string names;
    for (const Pod* victim : victims) names += " " + victim->name;
    broken_("removes" + names + " for " + preemptor.name +
            ", for which a set was removed before, and nothing has changed");
  }
  check_breaker(name, mirror, preemptor.uid, preemptor.name, victims);
  earlier.push_back(std::move(set));
}

void CauseOfSets::check_gang(const std::string& name, const SchedulerMirror& mirror,
                             const RoomOf& room_of, const policy::PodGroup& gang,
                             const std::vector<const Pod*>& victims) {
  Chosen set;
  for (const Pod* victim : victims) set.uids.insert(victim->uid);
  set.gang = std::to_string(gang.standing.min_count.value_or(0)) + " of";
  std::vector<const Pod*> members;
  for (const auto& [key, pod] : mirror.pods) {
    if (!pod.group || pod.group->uid != gang.standing.uid) continue;
    members.push_back(&pod);
    set.gang += " " + pod.uid + (pod.deletion ? " leaving" : "") + " on " + pod.node +
                (pod.placement.gates.empty() ? "" : " gated");
  }
  for (const auto& [node, seen] : mirror.nodes) {
    RoomSeen& room = set.elsewhere[node] = room_of(node);
    for (const Pod* member : members) room.nominated.erase(nomination_of(*member));
  }
  auto& earlier = chosen_[{gang.standing.uid, 0}];
  const bool is_known = std::ranges::any_of(
      earlier, [&](const Chosen& each) { return std::ranges::includes(each.uids, set.uids); });
  if (!earlier.empty() && !is_known && !upstream_ &&
      cause_for_gang(earlier.back(), set, mirror).empty()) {
    std::string names;
    for (const Pod* victim : victims) names += " " + victim->name;
    broken_("removes" + names + " for the gang " + gang.name +
            ", for which a set was removed before, and nothing has changed");
  }
  check_breaker(name, mirror, gang.standing.uid, gang.name, victims);
  earlier.push_back(std::move(set));
}

std::string CauseOfSets::cause_for_gang(const Chosen& before, const Chosen& now,
                                        const SchedulerMirror& mirror) {
  if (before.gang != now.gang) return "its pods";
  for (const auto& [node, was] : before.elsewhere) {
    const auto is = now.elsewhere.find(node);
    if (is == now.elsewhere.end()) return node + " is gone";
    if (was.node.allocatable != is->second.node.allocatable) return "allocatable";
    const std::string changed = change_of(was, is->second, "", false);
    if (!changed.empty()) return changed;
    for (const auto& [uid, pod] : is->second.pods) {
      const bool waits = policy::is_deferred(pod) && !pod.deletion;
      if (waits && is->second.pods.size() < was.pods.size()) return pod.name + " waits, too";
      const bool goes = pod.deletion || mirror.deleted.contains(uid) ||
                        (is_ours(pod) && !mirror.refused.contains(uid));
      if (before.uids.contains(uid) && !goes) return pod.name + " was not removed";
    }
  }
  return "";
}

std::string CauseOfSets::cause_between(const Chosen& before, RoomSeen now, const Pod& preemptor,
                                       const SchedulerMirror& mirror) {
  now.nominated.erase(nomination_of(preemptor));
  if (!preemptor.placement.spread.empty()) return "what is on other nodes matters to it";
  if (has_more(before.room.node.allocatable, now.node.allocatable)) return "allocatable fell";
  const Pod* waits = mirror.find(preemptor.uid);
  const bool is_resize = waits != nullptr && !waits->node.empty();
  const std::string changed = change_of(before.room, now, preemptor.uid, is_resize);
  if (!changed.empty()) return changed;
  if (const Pod* first = first_served(now, preemptor)) return first->name + " gets room first";
  for (const auto& [uid, pod] : now.pods) {
    // Its mark was removed, or its delete was refused: it may stay.
    const bool goes = pod.deletion || mirror.deleted.contains(uid) ||
                      (is_ours(pod) && !mirror.refused.contains(uid));
    if (before.uids.contains(uid) && !goes) return pod.name + " was not removed";
  }
  return "";
}

// Its decider ended before it sent the first delete. Only marks are left of that set, and they are
// cleared: the next decider chooses among all nodes again, and pods that left another node or are
// Deferred there count again. After the first delete, no other node is a cause.
bool CauseOfSets::goes_elsewhere(const Chosen& before, const RoomSeen& there) const {
  if (before.room.name == there.name) return false;
  const auto was_asked = [&](const std::string& uid) { return asked_.contains(uid); };
  if (std::ranges::any_of(before.uids, was_asked)) return false;
  const auto at = before.elsewhere.find(there.name);
  if (at == before.elsewhere.end()) return true;  // it is new
  const bool has_left = std::ranges::any_of(
      at->second.pods, [&](const auto& each) { return !there.pods.contains(each.first); });
  return has_left || at->second.node.allocatable != there.node.allocatable ||
         !change_of(at->second, there, "", false).empty();
}

// ---- the circuit breaker ----

// A process that finds no earlier record lets one pod and one node have one more set.
bool CauseOfSets::may_be_broken(const Pod& preemptor, std::size_t victims) const {
  return sets_ever_.contains(preemptor.uid) || lost_ever_.contains(preemptor.node) ||
         victims > kPodsPerNode;
}

// A repeated delete after a lost answer counts once; a refused one, or one of a removed pod, does
// not count.
void CauseOfSets::check_breaker(const std::string& name, const SchedulerMirror& mirror,
                                const std::string& preemptor_uid, const std::string& preemptor,
                                const std::vector<const Pod*>& victims) {
  const Time now = began_[name] + mirror.now;
  std::map<std::string, std::map<std::string, Uids>> units;  // by uid of the Node and unit
  Uids all;
  for (const Pod* victim : victims) {
    const auto known = mirror.nodes.find(victim->node);
    const bool has_uid = known != mirror.nodes.end() && !known->second.uid.empty();
    const std::string& node = has_uid ? known->second.uid : victim->node;
    units[node][unit_uid(*victim)].insert(victim->uid);
    all.insert(victim->uid);
    lost_ever_[victim->node].insert(victim->uid);
  }
  bool is_more = false;
  for (const auto& [node, of_node] : units) {
    for (const auto& [uid, pods] : of_node) is_more = loses_more(node, uid, pods, now) || is_more;
    if (breaker_.losses[node].size() > kPodsPerNode) {
      broken_("takes too many pods from node " + node);
    }
  }
  if (!is_more) return;
  ++sets_ever_[preemptor_uid];
  auto& sets = breaker_.sets[preemptor_uid];
  std::erase_if(sets, [&](const auto& set) {
    return set.first <= now - kWindow || std::ranges::all_of(set.second, [&](const auto& uid) {
             return not_removed_.contains(uid);
           });
  });
  sets.emplace_back(now, all);
  if (sets.size() > kSetsPerPod) broken_("makes room too often for " + preemptor);
}

// The unit is not counted there yet.
bool CauseOfSets::loses_more(const std::string& node, const std::string& uid, const Uids& pods,
                             Time now) {
  auto& losses = breaker_.losses[node];
  std::erase_if(losses, [&](const auto& loss) {
    return loss.at <= now - kWindow || std::ranges::all_of(loss.pods, [&](const auto& each) {
             return not_removed_.contains(each);
           });
  });
  const auto counted = std::ranges::find(losses, uid, &CircuitBreaker::Loss::uid);
  if (counted != losses.end()) {
    counted->pods.insert(pods.begin(), pods.end());
    return false;
  }
  losses.push_back({now, uid, pods});
  return true;
}

}  // namespace elbowroom::test
