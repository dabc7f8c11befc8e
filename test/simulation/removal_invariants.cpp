#include "test/simulation/removal_invariants.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <variant>

#include "policy/model/charge.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/resize.h"
#include "test/simulation/plain_pods.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using scheduler::DeleteVictim;
using scheduler::MarkVictim;
using Intent = SchedulerMirror::Intent;
using Time = SchedulerMirror::Time;

constexpr Time kOthersTurn{30'000};

// The gang that all of them are marked for.
const policy::PodGroup* gang_of(const SchedulerMirror& mirror,
                                const std::vector<const Pod*>& victims) {
  for (const Intent& intent : mirror.intents_of(*victims.front())) {
    const policy::PodGroup* group = mirror.find_group(intent.uid);
    const bool is_meant = std::ranges::all_of(victims, [&](const Pod* victim) {
      const auto intents = mirror.intents_of(*victim);
      return std::ranges::find(intents, intent) != intents.end();
    });
    if (group != nullptr && intent.generation == 0 && is_meant) return group;
  }
  return nullptr;
}

// True where another pod of the victim's group terminates on that node.
bool is_of_group_on(const SchedulerMirror& mirror, const Pod& victim, const std::string& node) {
  return std::ranges::any_of(mirror.pods, [&](const auto& each) {
    return each.second.node == node && policy::is_terminating(each.second) &&
           unit_uid(each.second) == unit_uid(victim);
  });
}

// Sets are of one node, or of one preemptor where some go with others, or for a gang.
void join_sets(const SchedulerMirror& mirror,
               const std::function<std::string(const Pod&)>& nominated,
               std::map<std::string, std::vector<const Pod*>>& sets) {
  if (mirror.groups.empty()) return;
  // One of them may carry an older mark beside that of this set.
  std::map<std::string, std::size_t> meant;
  for (const auto& [node, victims] : sets) {
    for (const Pod* each : victims) {
      for (const Intent& intent : mirror.intents_of(*each)) ++meant[intent.uid];
    }
  }
  std::map<std::string, std::vector<const Pod*>> joined;
  for (const auto& [node, victims] : sets) {
    for (const Pod* each : victims) {
      const auto intents = mirror.intents_of(*each);
      const auto most = std::ranges::max_element(
          intents, {}, [&](const Intent& intent) { return meant[intent.uid]; });
      joined[intents.empty() ? "" : most->uid].push_back(each);
    }
  }
  sets.clear();
  for (auto& [uid, victims] : joined) {
    const Pod* preemptor = mirror.find(uid);
    std::string node = preemptor != nullptr ? preemptor->node : "";
    if (preemptor != nullptr && node.empty()) {
      node = nominated(*preemptor);
      // By upstream's rules the others of their group may be terminating there already.
      const bool is_there = std::ranges::any_of(victims, [&](const Pod* each) {
        return each->node == node || is_of_group_on(mirror, *each, node);
      });
      if (!is_there) node = victims.front()->node;
    }
    sets[node + " " + uid] = std::move(victims);
  }
}

// The preemptor of the set: all its victims are marked for it, and it waits.
const Pod* preemptor_of(const SchedulerMirror& mirror, const std::vector<const Pod*>& victims,
                        const std::string& node) {
  for (const Intent& intent : mirror.intents_of(*victims.front())) {
    const Pod* pod = mirror.find(intent.uid);
    const bool waits = pod != nullptr && pod->generation == intent.generation &&
                       (pod->node.empty() ? is_placed_by_us(*pod)
                                          : pod->node == node && mirror.deferred_since(*pod));
    const bool is_meant = std::ranges::all_of(victims, [&](const Pod* victim) {
      const auto intents = mirror.intents_of(*victim);
      return std::ranges::find(intents, intent) != intents.end();
    });
    if (waits && is_meant) return pod;
  }
  return nullptr;
}

}  // namespace

void RemovalInvariants::check(const std::string& name, const SchedulerMirror& mirror,
                              const std::vector<scheduler::Effect>& effects) {
  causes_.told(mirror);
  std::map<std::string, Victims> sets;  // by node
  std::deque<Pod> placed;               // of those that no watch has shown there yet
  for (const scheduler::Effect& effect : effects) {
    const auto* mark = std::get_if<MarkVictim>(&effect.what);
    const auto* removed = std::get_if<DeleteVictim>(&effect.what);
    if (mark == nullptr && removed == nullptr) continue;
    if (!mirror.sees_all()) {
      broken_(name + " writes while it does not see everything");
    }
    if (mark != nullptr && !mark->clear) check_mark(mirror, *mark);
    if (removed == nullptr || removed->dry_run) continue;
    const auto pod = mirror.pods.find(key_of(removed->victim));
    if (pod == mirror.pods.end() || pod->second.uid != removed->victim.uid) {
      broken_(name + " removes " + key_of(removed->victim) + ", which it has not seen");
      continue;
    }
    // A pod that is being bound may have to be removed for a more important one.
    const std::string place = placing_.place_of(name, pod->second);
    if (pod->second.node != place) placed.emplace_back(pod->second).node = place;
    sets[place].push_back(pod->second.node == place ? &pod->second : &placed.back());
  }
  // As it is told in the same moment, or as the process believes.
  const auto nominated = [&](const Pod& pod) {
    std::string node = placing_.believed_node(name, pod);
    for (const scheduler::Effect& effect : effects) {
      const auto* write = std::get_if<scheduler::WritePending>(&effect.what);
      if (write == nullptr || write->pod.uid != pod.uid || !write->nominated) continue;
      if (!write->nominated->empty()) node = *write->nominated;
    }
    return node;
  };
  join_sets(mirror, nominated, sets);
  for (const auto& [node, victims] : sets) {
    check_set(name, mirror, node.substr(0, node.find(' ')), victims);
  }
}

// Only events are written on the resizing pod for its own sake.
void RemovalInvariants::check_mark(const SchedulerMirror& mirror, const MarkVictim& mark) {
  const std::string key = key_of(mark.victim);
  Pod carries;
  carries.conditions = {mark.condition};
  const auto intent = policy::removal_mark(carries);
  if (!intent) return broken_("marks " + key + " for nobody");
  const Pod* preemptor = mirror.find(intent->uid);
  const policy::PodGroup* group = mirror.find_group(intent->uid);
  const auto victim = mirror.pods.find(key);
  if ((preemptor == nullptr && group == nullptr) || victim == mirror.pods.end()) {
    return broken_("marks " + key + " for one that it does not see");
  }
  if (group != nullptr) {
    if (policy::priority_of(victim->second) < group->standing.priority) return;
    return broken_("marks " + key + ", which is not lower than the group " + group->name);
  }
  if (intent->uid == mark.victim.uid) broken_("marks " + key + " for itself");
  if (policy::priority_of(victim->second) >= policy::priority_of(*preemptor)) {
    broken_("marks " + key + ", which is not lower than " + preemptor->name);
  }
}

void RemovalInvariants::check_set(const std::string& name, const SchedulerMirror& mirror,
                                  const std::string& node, const Victims& victims) {
  for (const Pod* victim : victims) {
    if (mirror.intents_of(*victim).empty()) {
      return broken_(name + " removes " + victim->name + " without its mark");
    }
  }
  groups_.check_whole(name, mirror, victims);
  if (const policy::PodGroup* gang = gang_of(mirror, victims)) {
    return check_set_for_gang(name, mirror, *gang, victims);
  }
  const Pod* preemptor = preemptor_of(mirror, victims, node);
  if (preemptor == nullptr) {
    return broken_(name + " removes " + victims.front()->name + " for one that does not wait");
  }
  if (preemptor->node.empty()) {
    return check_set_for_pending(name, mirror, *preemptor, node, victims);
  }
  check_set_for_resize(name, mirror, *preemptor, victims);
}

void RemovalInvariants::check_set_for_gang(const std::string& name, const SchedulerMirror& mirror,
                                           const policy::PodGroup& preemptor,
                                           const Victims& victims) {
  Pod there;
  there.name = preemptor.name;
  there.group = preemptor.standing;
  for (const Pod* victim : victims) {
    there.node = victim->node;
    check_victims(name, mirror, there, {victim});
    if (victims.size() > 1 && !mirror.checked.contains(victim->uid)) {
      broken_(name + " removes a set without a dry run for " + victim->name);
    }
    // What goes with others may be on a node that is gone.
    if (!goes_whole(*victim) || mirror.nodes.contains(victim->node)) {
      check_node(name, mirror, there);
    }
  }
  groups_.check_set(name, mirror, preemptor, victims);
  const auto room_of = [&](const std::string& of) { return placing_.room_of(name, mirror, of); };
  causes_.check_gang(name, mirror, room_of, preemptor, victims);
}

void RemovalInvariants::check_set_for_resize(const std::string& name, const SchedulerMirror& mirror,
                                             const Pod& preemptor, const Victims& victims) {
  const auto room_of = [&](const std::string& of) { return placing_.room_of(name, mirror, of); };
  const auto confirmed = mirror.confirmed.find(preemptor.uid);
  if (confirmed == mirror.confirmed.end() || confirmed->second.generation != preemptor.generation ||
      !policy::is_deferred(confirmed->second)) {
    broken_(name + " removes " + victims.front()->name +
            " for a resize that the API server did not confirm");
  }
  check_victims(name, mirror, preemptor, victims);
  check_node(name, mirror, preemptor);
  check_turn(name, mirror, preemptor);
  check_need(placing_.room_of(name, mirror, preemptor.node), mirror, preemptor, victims);
  causes_.check(name, mirror, room_of, preemptor, victims);
}

// A node's policy about resizes does not apply to pending pods.
void RemovalInvariants::check_set_for_pending(const std::string& name,
                                              const SchedulerMirror& mirror, const Pod& preemptor,
                                              const std::string& node, const Victims& victims) {
  const auto confirmed = mirror.confirmed.find(preemptor.uid);
  if (confirmed == mirror.confirmed.end() || confirmed->second.generation != preemptor.generation ||
      !is_placed_by_us(confirmed->second)) {
    broken_(name + " removes " + victims.front()->name + " for " + preemptor.name +
            ", of which the API server did not confirm that it waits");
  }
  Pod there = preemptor;
  there.node = node;
  check_victims(name, mirror, there, victims);
  check_node(name, mirror, there);
  placing_.check_set(name, mirror, preemptor, node, victims);
  const auto avoided = placing_.avoided_by(name, mirror, preemptor);
  const auto room_of = [&](const std::string& of) {
    RoomSeen room = placing_.room_of(name, mirror, of);
    room.is_avoided = avoided.contains(of);
    return room;
  };
  causes_.check(name, mirror, room_of, there, victims);
}

void RemovalInvariants::check_victims(const std::string& name, const SchedulerMirror& mirror,
                                      const Pod& preemptor, const Victims& victims) {
  for (const Pod* victim : victims) {
    check_victim(mirror, preemptor, *victim, victims);
    if (victims.size() > 1 && !mirror.checked.contains(victim->uid)) {
      broken_(name + " removes a set without a dry run for " + victim->name);
    }
  }
}

void RemovalInvariants::check_victim(const SchedulerMirror& mirror, const Pod& preemptor,
                                     const Pod& victim, const Victims& victims) {
  if (policy::priority_of(victim) >= policy::priority_of(preemptor)) {
    broken_("removes " + victim.name + ", which is not lower than " + preemptor.name);
  }
  const auto goes_with_it = [&](const Pod& each) {
    return each.node == preemptor.node && unit_uid(each) == unit_uid(victim);
  };
  // By upstream's rules a terminating pod is chosen again, and the others of its group with it.
  const bool is_near =
      std::ranges::any_of(victims, [&](const Pod* each) { return goes_with_it(*each); }) ||
      (upstream_ && std::ranges::any_of(mirror.pods, [&](const auto& each) {
         return policy::is_terminating(each.second) && goes_with_it(each.second);
       }));
  if (!is_near) broken_("removes " + victim.name + " of another node");
  if (victim.is_static || victim.is_mirror) broken_("removes the static pod " + victim.name);
  if (victim.deletion || mirror.was_asked_to_go(victim.uid)) {
    broken_("removes " + victim.name + " twice");
  }
}

// Whether any pod may be removed from the node at all.
void RemovalInvariants::check_node(const std::string& name, const SchedulerMirror& mirror,
                                   const Pod& preemptor) {
  const auto node = mirror.nodes.find(preemptor.node);
  if (node == mirror.nodes.end()) return broken_(name + " removes pods of a node it does not know");
  const std::string what = name + " removes pods of a node ";
  if (node->second.ready == policy::NodeReady::False ||
      node->second.ready == policy::NodeReady::Unknown) {
    broken_(what + "that is not ready");
  }
  const policy::OverduePods lapsed = mirror.lapsed_on(preemptor.node);
  std::set<std::string_view> uids;
  for (const auto& [key, pod] : mirror.pods) {
    if (pod.node != preemptor.node) continue;
    if (!uids.insert(pod.uid).second) broken_(what + "of which two have the same uid");
    const bool is_overdue =
        pod.deletion && policy::holds_room(pod) && lapsed.overdue.contains(pod.uid);
    if (is_overdue && is_ours(pod)) broken_(what + "that holds its overdue victim " + pod.name);
  }
}

// And it is our turn now.
void RemovalInvariants::check_turn(const std::string& name, const SchedulerMirror& mirror,
                                   const Pod& preemptor) {
  if (is_disabled_by_another(preemptor)) {
    broken_(name + " removes pods for one with PodResizePreemptionDisabled");
  }
  if (policy::preemption_policy_of(preemptor) == policy::PreemptionPolicy::Never) {
    broken_(name + " removes pods for one that never preempts");
  }
  if (const auto at = mirror.nodes.find(preemptor.node);
      at != mirror.nodes.end() && policy::disables_resize_preemption(at->second)) {
    broken_(name + " removes pods of a node that forbids it");
  }
  const Time waited = mirror.now - mirror.deferred_since(preemptor).value_or(mirror.now);
  const auto node = mirror.nodes.find(preemptor.node);
  const bool by_node = node != mirror.nodes.end() && node->second.critical_preemption_by_node;
  if (by_node && policy::is_critical(preemptor) && waited < kOthersTurn) {
    broken_(name + " takes the node's turn");
  }
  if (!yields_to_.contains(preemptor.scheduler_name)) return;
  const Time yielded = mirror.now - mirror.said_deferred_since(preemptor).value_or(mirror.now);
  if (yielded < kOthersTurn) broken_(name + " takes another scheduler's turn");
  for (const auto& [key, pod] : mirror.pods) {
    const bool leaves = pod.node == preemptor.node && pod.deletion && policy::holds_room(pod);
    if (leaves && !policy::is_marked_for(pod, preemptor)) {
      broken_(name + " takes another scheduler's turn while " + pod.name + " is leaving");
    }
  }
}

// Only where no other pod on the node waits for room: then exactly one answer is right.
void RemovalInvariants::check_need(const RoomSeen& room, const SchedulerMirror& mirror,
                                   const Pod& preemptor, const Victims& victims) {
  if (upstream_) return;
  if (!room.nominated.empty()) return;
  for (const auto& [uid, pod] : room.pods) {
    if (uid != preemptor.uid && policy::resize_is_pending(pod)) return;
    const policy::Totals totals = policy::totals_of(pod);
    const policy::Resources held = policy::held_charge(totals);
    if (has_more(held, totals.desired) || has_more(held, totals.allocated)) return;
  }
  const std::string& first = victims.front()->name;
  if (fits(room, preemptor, [&](const Pod& pod) { return !leaves(room, pod); })) {
    return broken_("removes " + first + " although room for " + preemptor.name +
                   " is there or on its way");
  }
  const auto goes = [&](const Pod& pod) {
    return std::ranges::any_of(victims, [&](const Pod* each) { return each->uid == pod.uid; });
  };
  if (!fits(room, preemptor, [&](const Pod& pod) { return !leaves(room, pod) && !goes(pod); })) {
    broken_("removes " + first + ", and " + preemptor.name + " does not fit all the same");
  }
  for (const Pod* back : victims) {
    const bool was_chosen_before = std::ranges::any_of(victims, [&](const Pod* each) {
      return unit_uid(*each) == unit_uid(*back) && policy::removal_mark(*each) &&
             !mirror.marked.contains(each->uid);
    });
    if (was_chosen_before) continue;  // by another scheduler
    const auto stays = [&](const Pod& pod) {
      return !leaves(room, pod) && (unit_uid(pod) == unit_uid(*back) || !goes(pod));
    };
    if (fits(room, preemptor, stays)) {
      broken_("removes " + back->name + ", which could stay beside " + preemptor.name);
    }
  }
}

}  // namespace elbowroom::test
