#include "test/simulation/placing_invariants.h"

#include <algorithm>
#include <optional>
#include <set>
#include <variant>

#include "policy/model/removal_mark.h"
#include "scheduler/waiting/waiting_pod.h"
#include "test/simulation/cluster_history.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using Known = AssumedSeen::Known;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

const Pod* find(const SchedulerMirror& mirror, const scheduler::Victim& pod) {
  const auto at = mirror.pods.find(key_of(pod));
  return at == mirror.pods.end() || at->second.uid != pod.uid ? nullptr : &at->second;
}

bool takes(const PlainMoment& moment, const Pod& pod, const std::string& node) {
  return has(nodes_that_take(moment, pod), node);
}

// "": the effect reserves nothing.
std::string claim_of(const scheduler::Effect& effect) {
  if (const auto* reserve = std::get_if<scheduler::BindVolume>(&effect.what)) {
    return reserve->claim.name;
  }
  const auto* select = std::get_if<scheduler::SelectNode>(&effect.what);
  return select == nullptr ? "" : select->name;
}

bool in_gang(const Pod& pod) { return pod.group && pod.group->is_gang(); }

// The units that go: a pod by itself, or all pods of a group that is removed as one.
std::vector<Uids> units_of(const std::vector<const Pod*>& victims) {
  std::map<std::string, Uids> units;
  for (const Pod* each : victims) units[unit_uid(*each)].insert(each->uid);
  std::vector<Uids> made;
  for (auto& [uid, pods] : units) made.push_back(std::move(pods));
  return made;
}

// The pod may be on the node, and the pods nominated there were promised room beside it, once all
// terminating pods are gone.
bool takes_once_more(const PlainMoment& moment, const Pod& pod, const std::string& node) {
  PlainMoment now = moment;
  now.nominated.clear();
  PlainMoment then = moment;
  std::erase_if(then.cluster.pods,
                [&](const Pod& each) { return moment.leaving.contains(each.uid); });
  return takes(now, pod, node) && takes(then, pod, node);
}

PlainMoment beside_bound(PlainMoment moment, const SchedulerMirror& mirror,
                         const std::vector<scheduler::Effect>& effects) {
  for (const scheduler::Effect& effect : effects) {
    const auto* bind = std::get_if<scheduler::BindPod>(&effect.what);
    const Pod* pod = bind == nullptr ? nullptr : mirror.find(bind->pod.uid);
    if (pod == nullptr) continue;
    Pod without_size = *pod;
    without_size.node = bind->node;
    without_size.containers.clear();
    moment.cluster.pods.push_back(std::move(without_size));
  }
  return moment;
}

}  // namespace

bool is_placed_by_us(const Pod& pod) {
  return scheduler::waits_for_node(pod) && pod.scheduler_name == kPlaced;
}

void PlacingInvariants::observed(const std::string& name, const scheduler::Observation& seen) {
  Process& process = processes_[name];
  process.name = name;
  const lab::VirtualScheduler* runs = simulation_.scheduler(name);
  if (runs != nullptr) process.identity = runs->identity();
  process.assumed.take_in(seen);
}

PlainMoment PlacingInvariants::moment(const SchedulerMirror& mirror, const Process& process,
                                      const Pod& asking, Known known) const {
  PlainMoment made = process.assumed.moment(mirror, asking, upstream_, process.leadership, known);
  count_gangs(made, mirror, process, asking, known);
  return made;
}

PlainMoment PlacingInvariants::moment_of(const std::string& name, const SchedulerMirror& mirror,
                                         const Pod& asking, Known known) const {
  return moment(mirror, processes_.at(name), asking, known);
}

// The nodes that pods are nominated to while victims of groups are marked for them, of which some
// run elsewhere, are not known from outside before they are written: what the process believes
// counts as possible.
void PlacingInvariants::count_gangs(PlainMoment& moment, const SchedulerMirror& mirror,
                                    const Process& process, const Pod& asking, Known known) const {
  if (mirror.groups.empty()) return count_preemptors(moment, mirror, process, asking, known);
  const std::string own = in_gang(asking) ? policy::group_key_of(asking) : "";
  std::erase_if(moment.nominated, [&](const Pod& each) {
    if (in_gang(each) && policy::group_key_of(each) == own) return true;
    return known == Known::Surely && believed_node(process.name, each) != each.node;
  });
  if (known != Known::Perhaps) return;
  for (const auto& [key, pod] : mirror.pods) {
    const bool is_mate = in_gang(pod) && policy::group_key_of(pod) == own;
    if (!is_placed_by_us(pod) || is_mate || pod.uid == asking.uid) continue;
    const std::string node = believed_node(process.name, pod);
    if (node.empty()) continue;
    moment.nominated.push_back(pod);
    moment.nominated.back().node = node;
  }
}

// A pod for which victims are marked has its room before its nomination is written.
void PlacingInvariants::count_preemptors(PlainMoment& moment, const SchedulerMirror& mirror,
                                         const Process& process, const Pod& asking,
                                         Known known) const {
  if (known != Known::Perhaps) return;
  std::set<std::string> preemptors;
  for (const auto& [key, pod] : mirror.pods) {
    for (const auto& intent : mirror.intents_of(pod)) preemptors.insert(intent.uid);
  }
  for (const auto& [key, pod] : mirror.pods) {
    if (!is_placed_by_us(pod) || pod.uid == asking.uid || !preemptors.contains(pod.uid)) continue;
    const std::string node = believed_node(process.name, pod);
    const auto known_one = std::ranges::find(moment.nominated, pod.uid, &Pod::uid);
    if (node.empty() || known_one != moment.nominated.end()) continue;
    moment.nominated.push_back(pod);
    moment.nominated.back().node = node;
  }
}

void PlacingInvariants::check(const std::string& name, const SchedulerMirror& mirror,
                              const std::vector<scheduler::Effect>& effects) {
  const auto at = processes_.find(name);
  if (at == processes_.end()) return;
  Process& process = at->second;
  const lab::VirtualScheduler* runs = simulation_.scheduler(name);
  const bool is_the_same = runs != nullptr && runs->identity() == process.identity;
  if (is_the_same) process.leadership = runs->reactor().counts().transitions;
  if (is_the_same) check_given_up(name, mirror, process, effects);
  for (const scheduler::Effect& effect : effects) {
    if (const auto* bind = std::get_if<scheduler::BindPod>(&effect.what)) {
      check_binding(name, mirror, process, *bind);
    } else if (const auto* pending = std::get_if<scheduler::WritePending>(&effect.what)) {
      check_writing(name, mirror, process, *pending);
    }
    if (const auto* reserve = std::get_if<scheduler::BindVolume>(&effect.what)) {
      check_reserved(name, mirror, *reserve);
    }
    process.assumed.decided(mirror, effect, process.leadership);
    if (const std::string claim = claim_of(effect); is_the_same && !claim.empty()) {
      check_volumes(name, mirror, process, claim);
    }
  }
  // What is reserved already is not reserved again.
  if (is_the_same) check_volumes(name, mirror, process, "");
}

// A pod that waits until its volumes are bound is assumed on a node that takes it. `claim`: of the
// pods that name it; "": of all.
void PlacingInvariants::check_volumes(const std::string& name, const SchedulerMirror& mirror,
                                      Process& process, std::string_view claim) {
  const cluster::Snapshot& believed = simulation_.scheduler(name)->reactor().snapshot();
  for (const auto& [key, pod] : mirror.pods) {
    if (pod.placement.claims.empty() || !is_placed_by_us(pod)) continue;
    if (process.assumed.bindings().contains(pod.uid)) continue;
    const bool is_meant = claim.empty() || pod.placement.claims.front().name == claim;
    if (!is_meant) continue;
    const auto there = believed.pod(key);
    if (!there || there->uid != pod.uid || there->node.empty()) continue;
    const std::string what = name + " reserves volumes for " + pod.name + " on " + there->node;
    if (!takes(moment(mirror, process, pod, Known::Surely), pod, there->node)) {
      broken_(what + ", where it does not fit");
    }
    process.assumed.waits_for_volumes(pod, there->node);
  }
}

// What is being reserved for one claim is reserved for no other.
void PlacingInvariants::check_reserved(const std::string& name, const SchedulerMirror& mirror,
                                       const scheduler::BindVolume& reserve) {
  for (const auto& [number, effect] : mirror.under_way) {
    const auto* other = std::get_if<scheduler::BindVolume>(&effect.what);
    if (other == nullptr || other->volume != reserve.volume || other->claim == reserve.claim) {
      continue;
    }
    broken_(name + " reserves " + reserve.volume + " for " + reserve.claim.name + " and for " +
            other->claim.name);
  }
}

bool PlacingInvariants::has_bound_claims(const Pod& pod) const {
  const lab::Kind& kind = *lab::find_kind("", "v1", "persistentvolumeclaims");
  return std::ranges::all_of(pod.placement.claims, [&](const policy::PodClaim& each) {
    const lab::Json* claim = simulation_.world().peek(kind, pod.ns, each.name);
    return claim != nullptr && !lab::text_at(*claim, {"spec", "volumeName"}).empty() &&
           lab::text_at(*claim, {"metadata", "annotations", "pv.kubernetes.io/bind-completed"}) ==
               "yes";
  });
}

std::string PlacingInvariants::believed_node(const std::string& name, const Pod& pod) const {
  const lab::VirtualScheduler* runs = simulation_.scheduler(name);
  if (runs == nullptr) return "";
  const auto believed = runs->reactor().snapshot().pod(policy::key_of(pod));
  return believed && believed->uid == pod.uid ? believed->nominated_node : "";
}

std::map<std::string, std::string> PlacingInvariants::avoided_by(const std::string& name,
                                                                 const SchedulerMirror& mirror,
                                                                 const Pod& pod) const {
  const auto at = processes_.find(name);
  if (at == processes_.end()) return {};
  return at->second.assumed.turned_out().avoided_by(pod, mirror.now);
}

std::string PlacingInvariants::place_of(const std::string& name, const Pod& pod) const {
  const auto at = processes_.find(name);
  if (!pod.node.empty() || at == processes_.end()) return pod.node;
  const auto binding = at->second.assumed.bindings().find(pod.uid);
  return binding == at->second.assumed.bindings().end() ? "" : binding->second.node;
}

RoomSeen PlacingInvariants::room_of(const std::string& name, const SchedulerMirror& mirror,
                                    const std::string& node) const {
  RoomSeen room = room_seen(mirror, node);
  const auto at = processes_.find(name);
  if (at == processes_.end()) return room;
  for (const auto& [key, pod] : mirror.pods) {
    if (!scheduler::waits_for_node(pod)) continue;
    if (place_of(name, pod) == node) {
      room.pods[pod.uid] = pod;
      room.pods[pod.uid].node = node;
      if (mirror.was_asked_to_go(pod.uid)) room.asked_to_go.insert(pod.uid);
    } else if (at->second.assumed.is_nominated(pod, node, at->second.leadership, Known::Perhaps)) {
      room.nominated.insert(nomination_of(pod));
    }
  }
  return room;
}

// ---- bindings ----

void PlacingInvariants::check_binding(const std::string& name, const SchedulerMirror& mirror,
                                      const Process& process, const scheduler::BindPod& bind) {
  const std::string what = name + " binds " + bind.pod.name + " to " + bind.node;
  if (!mirror.sees_all()) broken_(what + " while it does not see everything");
  const Pod* pod = find(mirror, bind.pod);
  if (pod == nullptr) return broken_(what + ", which it has not seen");
  if (!is_placed_by_us(*pod)) return broken_(what + ", which is not its to place");
  if (!pod->placement.gates.empty()) return broken_(what + ", which has scheduling gates");
  const auto known = process.assumed.bindings().find(pod->uid);
  const bool is_known = known != process.assumed.bindings().end();
  if (!has_bound_claims(*pod)) return broken_(what + ", and its claims are not bound");
  if (is_known && known->second.under_way) return broken_(what + " twice at a time");
  const bool is_accepted = is_known && known->second.is_accepted;
  if (is_accepted && known->second.node != bind.node) {
    return broken_(what + ", and was told that it is on " + known->second.node);
  }
  if (is_accepted) return;  // it is on the node, and the watch has not shown it
  if (!mirror.nodes.contains(bind.node)) return broken_(what + ", a node it does not know");
  const PlainMoment now = moment(mirror, process, *pod, Known::Surely);
  const bool goes_elsewhere = is_known && known->second.node != bind.node;
  if (goes_elsewhere && !known->second.for_volumes &&
      takes(moment(mirror, process, *pod, Known::Perhaps), *pod, known->second.node)) {
    return broken_(what + ", and it may be on " + known->second.node + ", which takes it");
  }
  if (now.avoided.contains(bind.node)) return broken_(what + ", which turned one like it out");
  if (mirror.is_unclear(bind.node)) return broken_(what + ", of which it does not know all pods");
  // Its mates, bound beside it, matter to it; in which order they were placed is not known.
  if (in_gang(*pod) && !pod->placement.spread.empty()) return;
  if (is_known && !goes_elsewhere) {
    if (!takes_once_more(now, *pod, bind.node)) broken_(what + " again, where it does not fit");
  } else if (!takes(now, *pod, bind.node)) {
    broken_(what + ", where it does not fit");
  }
}

// The room of a binding that may have been done is not promised to another pod. Pods that are bound
// by the same decisions take no room from it, but may keep it away by what they are.
void PlacingInvariants::check_given_up(const std::string& name, const SchedulerMirror& mirror,
                                       Process& process,
                                       const std::vector<scheduler::Effect>& effects) {
  const cluster::Snapshot& believed = simulation_.scheduler(name)->reactor().snapshot();
  const auto bindings = process.assumed.bindings();
  for (const auto& [uid, binding] : bindings) {
    const auto pod = believed.pod(binding.key);
    const Pod* seen = mirror.find(uid);
    if (!pod || pod->uid != uid || pod->node == binding.node || seen == nullptr) continue;
    const std::string what =
        name + " gives away the room of " + pod->name + " on " + binding.node + ", ";
    if (binding.under_way) {
      broken_(what + "to which it is being bound");
    } else if (binding.is_accepted) {
      broken_(what + "to which it was bound");
    } else if (const PlainMoment now = moment(mirror, process, *seen, Known::Perhaps);
               !binding.for_volumes && takes(now, *seen, binding.node) &&
               takes(beside_bound(now, mirror, effects), *seen, binding.node)) {
      broken_(what + "to which it may have been bound");
    }
    process.assumed.give_up(uid);
  }
}

// ---- what is written of them ----

void PlacingInvariants::check_writing(const std::string& name, const SchedulerMirror& mirror,
                                      const Process& process,
                                      const scheduler::WritePending& pending) {
  const std::string what = name + " writes the status of " + pending.pod.name;
  if (!mirror.sees_all()) broken_(what + " while it does not see everything");
  const Pod* pod = find(mirror, pending.pod);
  if (pod == nullptr) return broken_(what + ", which it has not seen");
  if (!is_placed_by_us(*pod)) return broken_(what + ", which is not its to place");
  if (pending.scheduled) {
    const bool is_gated = !pod->placement.gates.empty();
    const bool says_gated = pending.scheduled->reason == "SchedulingGated";
    if (is_gated != says_gated) broken_(what + " as " + pending.scheduled->reason);
  }
  const bool is_promised = pending.nominated && !pending.nominated->empty();
  if (is_promised && !mirror.nodes.contains(*pending.nominated)) {
    broken_(what + ": nominated to " + *pending.nominated + ", which it does not know");
  }
  // A write that waited for the answer to another was decided before; the pod's next turn judges
  // it.
  const bool has_waited = process.assumed.just_answered() == pod->uid;
  if (is_promised && !has_waited)
    check_assumed_pod(what, mirror, process, *pod, *pending.nominated);
}

// The promised room comes: beside the pods of its priority or more that were promised room there
// before.
void PlacingInvariants::check_assumed_pod(const std::string& what, const SchedulerMirror& mirror,
                                          const Process& process, const Pod& pod,
                                          const std::string& node) {
  const auto on = mirror.nodes.find(node);
  if (upstream_ || on == mirror.nodes.end() || mirror.is_unclear(node)) return;
  if (in_gang(pod) && !pod.placement.spread.empty()) return;  // its mates matter to it
  const PlainMoment surely = moment(mirror, process, pod, Known::Surely);
  Uids gone = surely.leaving;
  for (const Pod& each : surely.cluster.pods) {
    const auto intents = mirror.intents_of(each);
    const bool is_its = std::ranges::any_of(intents, [&](const SchedulerMirror::Intent& intent) {
      return (intent.uid == pod.uid && intent.generation == pod.generation) ||
             (in_gang(pod) && intent.uid == pod.group->uid);
    });
    // A pod that no longer existed when its delete was sent is gone too.
    if (is_its || mirror.not_removed.contains(each.uid)) gone.insert(each.uid);
  }
  if (!fits_beside(surely, pod, on->second, gone)) {
    broken_(what + ": nominated to " + node + ", where its room does not come");
  }
}

// ---- victims of a pending pod ----

void PlacingInvariants::check_set(const std::string& name, const SchedulerMirror& mirror,
                                  const Pod& preemptor, const std::string& node,
                                  const Victims& victims) {
  const auto known = processes_.find(name);
  if (known == processes_.end()) return;
  const std::string what = name + " removes " + victims.front()->name + " for " + preemptor.name;
  if (policy::preemption_policy_of(preemptor) == policy::PreemptionPolicy::Never) {
    broken_(what + ", which never preempts");
  }
  const PlainMoment surely = moment(mirror, known->second, preemptor, Known::Surely);
  const PlainMoment now = moment(mirror, known->second, preemptor, Known::Perhaps);
  for (const Pod* each : victims) {
    const auto binding = known->second.assumed.bindings().find(each->uid);
    const bool is_nowhere =
        binding != known->second.assumed.bindings().end() && binding->second.for_volumes;
    if (is_nowhere) broken_(what + ", and " + each->name + " only waits for its volumes");
  }
  if (now.avoided.contains(node)) broken_(what + " on a node that turned one like it out");
  if (mirror.is_unclear(node)) broken_(what + " on a node of which it does not know all pods");
  for (const std::string& each : nodes_that_take(now, preemptor)) {
    if (!mirror.is_unclear(each)) return broken_(what + ", which fits on " + each);
  }
  const auto at = mirror.nodes.find(node);
  if (at == mirror.nodes.end()) return;
  Uids gone = now.leaving;
  for (const Pod* each : victims) gone.insert(each->uid);
  // By upstream's rules a pod that is overdue is a victim too, which is not asked to go again. A
  // pod that did not exist when its delete was sent is gone.
  for (const Pod& each : surely.cluster.pods) {
    if (mirror.not_removed.contains(each.uid)) gone.insert(each.uid);
    const bool is_asked = upstream_ && each.deletion && each.node == node;
    if (is_asked && policy::priority_of(each) < policy::priority_of(preemptor)) {
      gone.insert(each.uid);
    }
  }
  if (!fits_beside(surely, preemptor, at->second, gone)) {
    return broken_(what + ", which does not fit on " + node + " all the same");
  }
  PlainCluster after = surely.cluster;
  std::erase_if(after.pods, [&](const Pod& each) { return gone.contains(each.uid); });
  after.pods.push_back(preemptor);
  after.pods.back().node = node;
  check_outranked(name, mirror, preemptor, at->second, std::move(after));
  if (upstream_) return;
  for (const std::string& each : nodes_that_empty(now, preemptor)) {
    if (!mirror.is_unclear(each)) broken_(what + " although room is on its way on " + each);
  }
  if (!preemptor.placement.spread.empty())
    return;  // a victim that is placed elsewhere may make it worse
  for (const Uids& back : units_of(victims)) {
    const bool was_chosen_before = std::ranges::any_of(victims, [&](const Pod* each) {
      return back.contains(each->uid) && policy::removal_mark(*each) &&
             !mirror.marked.contains(each->uid);
    });
    if (was_chosen_before) continue;
    Uids others = gone;
    for (const std::string& uid : back) others.erase(uid);
    if (fits_beside(now, preemptor, at->second, others)) {
      broken_(what + ", and " + mirror.find(*back.begin())->name + " could stay beside it");
    }
  }
}

// A less important pod that was promised room there loses that promise where it has no room beside
// the preemptor; by upstream's rules in any case. `after`: when the victims are gone.
void PlacingInvariants::check_outranked(const std::string& name, const SchedulerMirror& mirror,
                                        const Pod& preemptor, const policy::Node& on,
                                        PlainCluster after) {
  const Process& process = processes_.find(name)->second;
  const std::string& node = on.name;
  const lab::VirtualScheduler* runs = simulation_.scheduler(name);
  if (runs == nullptr) return;  // it has ended
  const cluster::Snapshot& believed = runs->reactor().snapshot();
  // It is reported at once, or when an earlier write about it is answered; by then it may have
  // found room beside the other one.
  const auto is_being_written = [&](const Pod& pod) {
    return std::ranges::any_of(mirror.under_way, [&](const auto& entry) {
      const auto* write = std::get_if<scheduler::WritePending>(&entry.second.what);
      return write != nullptr && write->pod.uid == pod.uid;
    });
  };
  for (const auto& [key, pod] : mirror.pods) {
    const bool is_outranked =
        is_placed_by_us(pod) && pod.uid != preemptor.uid &&
        !process.assumed.bindings().contains(pod.uid) &&
        policy::priority_of(pod) < policy::priority_of(preemptor) &&
        process.assumed.is_nominated(pod, node, process.leadership, Known::Surely);
    if (!is_outranked || is_being_written(pod)) continue;
    const auto now = believed.pod(key);
    if (!now || now->uid != pod.uid || now->nominated_node != node) continue;
    if (upstream_ || !plain_room(after, pod, on)) {
      broken_(pod.name + " stays nominated to " + node + " under " + preemptor.name);
    }
    after.pods.push_back(pod);
    after.pods.back().node = node;
  }
}

}  // namespace elbowroom::test
