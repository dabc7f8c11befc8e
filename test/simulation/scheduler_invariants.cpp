#include "test/simulation/scheduler_invariants.h"

#include <algorithm>

#include "base/document.h"
#include "policy/charge.h"
#include "policy/resize.h"
#include "policy/resize_preemption.h"
#include "test/simulation/invariants.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using scheduler::DeleteVictim;
using scheduler::MarkVictim;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr milliseconds kOthersTurn{30'000};
constexpr milliseconds kShownWithin{30'000};
constexpr milliseconds kBeyondDeadline{30'000};
constexpr milliseconds kShrinkMayTake{30'000};  // the shorter one
constexpr milliseconds kWindow{600'000};
constexpr std::size_t kSetsPerPod = 3;
constexpr std::size_t kPodsPerNode = 10;
constexpr std::size_t kMostAtOnce = 2000;
constexpr std::size_t kMostFailures = 12;
constexpr milliseconds kFailureWindow{2000};

std::string key_of(const scheduler::Victim& victim) { return victim.ns + "/" + victim.name; }

// True where `a` has more of something than `b`.
bool exceeds(const policy::Resources& a, const policy::Resources& b) {
  bool more = false;
  policy::for_each_amount(a, [&](std::string_view name, std::int64_t amount) {
    more = more || amount > policy::amount_of(b, name);
  });
  return more;
}

// Does what the pod raises fit beside the held charges of those that `stays` names?
template <class Stays>
bool fits(const policy::Node& node, const std::map<std::string, Pod, std::less<>>& pods,
          const Pod& preemptor, Stays stays) {
  const policy::Totals totals = policy::totals_of(preemptor);
  policy::Resources used = policy::resizing_charge(totals);
  for (const auto& [uid, pod] : pods) {
    if (uid != preemptor.uid && policy::holds_room(pod) && stays(pod)) {
      policy::add_to(used, policy::held_charge(pod));
    }
  }
  bool is_enough = true;
  policy::for_each_amount(used, [&](std::string_view name, std::int64_t amount) {
    const bool raised = policy::raises(totals, name);
    if (raised && amount > policy::amount_of(node.allocatable, name)) is_enough = false;
  });
  return is_enough;
}

bool is_ours(const Pod& pod) {
  const policy::Condition* target =
      policy::find_condition(pod.conditions, policy::kDisruptionTarget);
  return target != nullptr && target->reason == policy::kReasonPreemptionByScheduler &&
         policy::removal_mark(pod).has_value();
}

}  // namespace

void SchedulerInvariants::break_(std::string what) {
  broken_.push_back(
      "at " + std::to_string(std::chrono::floor<milliseconds>(simulation_.elapsed()).count()) +
      "ms: " + std::move(what));
}

// ---- what a scheduler is told ----

void SchedulerInvariants::began(const std::string& name) {
  Mirror& mirror = mirrors_[name];
  check_batch(name, mirror);
  mirror = {};
}

void SchedulerInvariants::observed(const std::string& name, const scheduler::Observation& seen) {
  Mirror& mirror = mirrors_[name];
  check_batch(name, mirror);
  check_progress(name, mirror, seen.at.since_start);
  mirror.now = seen.at.since_start;
  std::visit([&](const auto& what) { on(mirror, what); }, seen.what);
}

void SchedulerInvariants::check_progress(const std::string& name, Mirror& mirror, Time at) {
  mirror.at_once = at > mirror.now ? 0 : mirror.at_once + 1;
  if (mirror.at_once == kMostAtOnce) {
    break_(name + " turns around " + std::to_string(kMostAtOnce) + " times without a pause");
  }
}

void SchedulerInvariants::on(Mirror& mirror, const scheduler::NodesListed& seen) {
  mirror.nodes.clear();
  for (const policy::Node& node : seen.nodes) mirror.nodes[node.name] = node;
  mirror.listed.insert(scheduler::Collection::Nodes);
  mirror.lost.erase(scheduler::Collection::Nodes);
}
void SchedulerInvariants::on(Mirror& mirror, const scheduler::NodeSeen& seen) {
  mirror.nodes[seen.node.name] = seen.node;
}
void SchedulerInvariants::on(Mirror& mirror, const scheduler::NodeGone& seen) {
  mirror.nodes.erase(seen.name);
}

void SchedulerInvariants::on(Mirror& mirror, const scheduler::PodsListed& seen) {
  std::set<std::string, std::less<>> there(seen.unreadable.begin(), seen.unreadable.end());
  for (const cluster::PackedPod& packed : seen.pods) {
    there.insert(std::string(packed.key()));
    learn(mirror, packed.unpacked());
  }
  std::vector<std::string> gone;
  for (const auto& [key, pod] : mirror.pods) {
    if (!there.contains(key)) gone.push_back(key);
  }
  for (const std::string& key : gone) forget(mirror, key);
  mirror.listed.insert(scheduler::Collection::Pods);
  mirror.lost.erase(scheduler::Collection::Pods);
}
void SchedulerInvariants::on(Mirror& mirror, const scheduler::PodSeen& seen) {
  learn(mirror, seen.pod.unpacked());
}
void SchedulerInvariants::on(Mirror& mirror, const scheduler::PodGone& seen) {
  const auto at = mirror.pods.find(seen.key);
  if (at != mirror.pods.end() && (seen.uid.empty() || at->second.uid == seen.uid)) {
    forget(mirror, seen.key);
  }
}
void SchedulerInvariants::on(Mirror& mirror, const scheduler::BudgetsListed& /*seen*/) {
  mirror.listed.insert(scheduler::Collection::Budgets);
  mirror.lost.erase(scheduler::Collection::Budgets);
}
void SchedulerInvariants::on(Mirror& mirror, const scheduler::Lost& seen) {
  mirror.lost.insert(seen.of);
}
void SchedulerInvariants::on(Mirror& mirror, const scheduler::Back& seen) {
  mirror.lost.erase(seen.of);
}

void SchedulerInvariants::learn(Mirror& mirror, const Pod& pod) {
  const std::string key = policy::key_of(pod);
  if (const auto at = mirror.pods.find(key); at != mirror.pods.end() && at->second.uid != pod.uid) {
    forget(mirror, key);
  }
  const Pod& known = mirror.pods.insert_or_assign(key, pod).first->second;
  const bool waits =
      !pod.node.empty() && policy::is_deferred(pod) && !pod.deletion && !policy::is_finished(pod);
  if (!waits) {
    mirror.deferred.erase(pod.uid);
  } else if (const auto at = mirror.deferred.find(pod.uid);
             at == mirror.deferred.end() || at->second.generation != pod.generation) {
    mirror.deferred[pod.uid] = {pod.generation, mirror.now};
  }
  if (pod.deletion) {
    Going& going = mirror.going[pod.uid];
    if (going.deadline != *pod.deletion) {
      going = {*pod.deletion, mirror.now + seconds(pod.deletion_grace_seconds) + kBeyondDeadline};
    }
  }
  const policy::Totals totals = policy::totals_of(known);
  const bool shrinks = exceeds(policy::held_charge(totals), totals.desired) ||
                       exceeds(totals.actual, totals.allocated);
  if (shrinks) {
    mirror.shrinking.try_emplace(pod.uid, mirror.now);
  } else {
    mirror.shrinking.erase(pod.uid);
  }
}

void SchedulerInvariants::forget(Mirror& mirror, std::string_view key) {
  const auto at = mirror.pods.find(key);
  if (at == mirror.pods.end()) return;
  const std::string uid = at->second.uid;
  mirror.pods.erase(at);
  mirror.deferred.erase(uid);
  mirror.going.erase(uid);
  mirror.shrinking.erase(uid);
}

void SchedulerInvariants::on(Mirror& mirror, const scheduler::Done& seen) {
  const auto at = mirror.under_way.find(seen.effect);
  if (at == mirror.under_way.end()) return;
  if (const auto* mark = std::get_if<MarkVictim>(&at->second.what)) {
    if (mark->clear) {
      mirror.marked.erase(mark->victim.uid);
    } else {
      Pod marked;
      marked.conditions = {mark->condition};
      if (const auto intent = policy::removal_mark(marked)) {
        mirror.marked[mark->victim.uid] = *intent;
        mirror.checked.erase(mark->victim.uid);
      }
    }
  } else if (const auto* removed = std::get_if<DeleteVictim>(&at->second.what)) {
    if (removed->dry_run) {
      mirror.checked.insert(removed->victim.uid);
    } else {
      mirror.deleted[removed->victim.uid] = mirror.now;
    }
  }
  mirror.under_way.erase(at);
}

// A write that is tried again and again without a pause holds up the API server.
void SchedulerInvariants::on(Mirror& mirror, const scheduler::Failed& seen) {
  const auto at = mirror.under_way.find(seen.effect);
  if (at == mirror.under_way.end()) return;
  std::string about = std::to_string(at->second.what.index());
  if (const auto* mark = std::get_if<MarkVictim>(&at->second.what)) about += mark->victim.uid;
  if (const auto* gone = std::get_if<DeleteVictim>(&at->second.what)) about += gone->victim.uid;
  mirror.under_way.erase(at);
  while (!mirror.failed.empty() && mirror.failed.front().first < mirror.now - kFailureWindow) {
    mirror.failed.pop_front();
  }
  mirror.failed.emplace_back(mirror.now, about);
  const auto times =
      std::ranges::count(mirror.failed, about, [](const auto& e) { return e.second; });
  if (times > static_cast<std::ptrdiff_t>(kMostFailures)) {
    break_("the same write failed " + std::to_string(times) + " times within 2 s");
  }
}

// ---- what a scheduler decides ----

void SchedulerInvariants::decided(const std::string& name, const scheduler::Effect& effect) {
  Mirror& mirror = mirrors_[name];
  mirror.under_way[effect.id] = effect;
  mirror.batch.push_back(effect);
}

void SchedulerInvariants::check_batch(const std::string& name, Mirror& mirror) {
  const std::vector<scheduler::Effect> batch = std::exchange(mirror.batch, {});
  std::map<std::string, std::vector<const Pod*>> sets;  // by node
  for (const scheduler::Effect& effect : batch) {
    if (const auto* mark = std::get_if<MarkVictim>(&effect.what)) {
      if (!mark->clear) check_mark(mirror, *mark);
    }
    const auto* removed = std::get_if<DeleteVictim>(&effect.what);
    const bool writes = !std::holds_alternative<scheduler::EmitEvent>(effect.what) &&
                        !std::holds_alternative<scheduler::WriteLease>(effect.what);
    if (writes && (!mirror.lost.empty() || mirror.listed.size() < 3)) {
      break_(name + " writes while it does not see everything");
    }
    if (removed == nullptr || removed->dry_run) continue;
    const auto pod = mirror.pods.find(key_of(removed->victim));
    if (pod == mirror.pods.end() || pod->second.uid != removed->victim.uid) {
      break_(name + " removes " + key_of(removed->victim) + ", which it has not seen");
      continue;
    }
    sets[pod->second.node].push_back(&pod->second);
  }
  for (const auto& [node, victims] : sets) check_set(name, mirror, node, victims);
}

const Pod* SchedulerInvariants::find(const Mirror& mirror, std::string_view uid) const {
  for (const auto& [key, pod] : mirror.pods) {
    if (pod.uid == uid) return &pod;
  }
  return nullptr;
}

// Nothing but events is written on the resizing pod for its own sake.
void SchedulerInvariants::check_mark(const Mirror& mirror, const MarkVictim& mark) {
  Pod marked;
  marked.conditions = {mark.condition};
  const auto intent = policy::removal_mark(marked);
  if (!intent) return break_("marks " + key_of(mark.victim) + " for nobody");
  const Pod* preemptor = find(mirror, intent->uid);
  const auto victim = mirror.pods.find(key_of(mark.victim));
  if (preemptor == nullptr || victim == mirror.pods.end()) {
    return break_("marks " + key_of(mark.victim) + " for one that it does not see");
  }
  if (intent->uid == mark.victim.uid) break_("marks " + key_of(mark.victim) + " for itself");
  if (policy::priority_of(victim->second) >= policy::priority_of(*preemptor)) {
    break_("marks " + key_of(mark.victim) + ", which is not lower than " + preemptor->name);
  }
}

std::optional<SchedulerInvariants::Intent> SchedulerInvariants::intent_of(const Mirror& mirror,
                                                                          const Pod& victim) const {
  if (const auto at = mirror.marked.find(victim.uid); at != mirror.marked.end()) return at->second;
  if (is_ours(victim)) return policy::removal_mark(victim);
  return std::nullopt;
}

void SchedulerInvariants::check_set(const std::string& name, Mirror& mirror,
                                    const std::string& node,
                                    const std::vector<const Pod*>& victims) {
  const auto intent = intent_of(mirror, *victims.front());
  if (!intent) return break_(name + " removes " + victims.front()->name + " without its mark");
  const Pod* preemptor = find(mirror, intent->uid);
  const bool waits = preemptor != nullptr && mirror.deferred.contains(intent->uid) &&
                     preemptor->generation == intent->generation && preemptor->node == node;
  if (!waits) {
    return break_(name + " removes " + victims.front()->name + " for a resize that does not wait");
  }
  for (const Pod* victim : victims) {
    if (intent_of(mirror, *victim) != intent) {
      return break_(name + " removes " + victim->name + " without the mark of the set");
    }
    check_victim(mirror, *preemptor, *victim);
    if (victims.size() > 1 && !mirror.checked.contains(victim->uid)) {
      break_(name + " removes a set without a dry run for " + victim->name);
    }
  }
  check_turn(name, mirror, *preemptor);
  check_need(mirror, *preemptor, victims);
  check_cause(mirror, *preemptor, victims);
}

void SchedulerInvariants::check_victim(const Mirror& mirror, const Pod& preemptor,
                                       const Pod& victim) {
  if (policy::priority_of(victim) >= policy::priority_of(preemptor)) {
    break_("removes " + victim.name + ", which is not lower than " + preemptor.name);
  }
  if (victim.node != preemptor.node) break_("removes " + victim.name + " of another node");
  if (victim.is_static || victim.is_mirror) break_("removes the static pod " + victim.name);
  const auto deleted = mirror.deleted.find(victim.uid);
  if (deleted != mirror.deleted.end() && mirror.now - deleted->second < kShownWithin) {
    break_("removes " + victim.name + " twice");
  }
}

// Whether anybody may be removed there at all, and by us.
void SchedulerInvariants::check_turn(const std::string& name, const Mirror& mirror,
                                     const Pod& preemptor) {
  const auto node = mirror.nodes.find(preemptor.node);
  if (node == mirror.nodes.end()) return break_(name + " removes pods of a node it does not know");
  if (node->second.ready == policy::NodeReady::False ||
      node->second.ready == policy::NodeReady::Unknown) {
    break_(name + " removes pods of a node that is not ready");
  }
  if (policy::disables_resize_preemption(node->second)) {
    break_(name + " removes pods of a node that forbids it");
  }
  if (policy::has_true(preemptor.conditions, policy::kPodResizePreemptionDisabled)) {
    break_(name + " removes pods for one with PodResizePreemptionDisabled");
  }
  if (preemptor.preemption_policy == policy::PreemptionPolicy::Never) {
    break_(name + " removes pods for one that never preempts");
  }
  const Time waited = mirror.now - mirror.deferred.at(preemptor.uid).since;
  const bool yields = yields_to_.contains(preemptor.scheduler_name);
  if (yields && waited < kOthersTurn) break_(name + " takes another scheduler's turn");
  if (node->second.critical_preemption_by_node && policy::is_critical(preemptor) &&
      waited < kOthersTurn) {
    break_(name + " takes the node's turn");
  }
  std::set<std::string_view> uids;
  for (const auto& [key, pod] : mirror.pods) {
    if (pod.node != preemptor.node) continue;
    if (!uids.insert(pod.uid).second) {
      break_(name + " removes pods of a node of which two have the same uid");
    }
    if (!pod.deletion || !policy::holds_room(pod)) continue;
    if (yields) break_(name + " takes another scheduler's turn while " + pod.name + " is leaving");
    const auto going = mirror.going.find(pod.uid);
    const bool overdue = going != mirror.going.end() && going->second.overdue <= mirror.now;
    if (overdue && is_ours(pod)) {
      break_(name + " removes pods of a node that holds its overdue victim " + pod.name);
    }
  }
}

// Only where nobody else on the node waits for room: then there is one right answer.
void SchedulerInvariants::check_need(const Mirror& mirror, const Pod& preemptor,
                                     const std::vector<const Pod*>& victims) {
  if (upstream_) return;
  const Room room = room_of(mirror, preemptor.node);
  if (!room.nominated.empty()) return;
  for (const auto& [uid, pod] : room.pods) {
    if (uid != preemptor.uid && policy::resize_is_pending(pod)) return;
    if (mirror.shrinking.contains(uid)) return;
  }
  const auto leaves = [&](const Pod& pod) {
    const auto deleted = mirror.deleted.find(pod.uid);
    if (!pod.deletion) {
      return deleted != mirror.deleted.end() && mirror.now - deleted->second < kShownWithin;
    }
    return !room.overdue.contains(pod.uid);
  };
  if (fits(room.node, room.pods, preemptor, [&](const Pod& pod) { return !leaves(pod); })) {
    return break_("removes " + victims.front()->name + " although room for " + preemptor.name +
                  " is there or on its way");
  }
  const auto goes = [&](const Pod& pod) {
    return std::ranges::any_of(victims, [&](const Pod* each) { return each->uid == pod.uid; });
  };
  if (!fits(room.node, room.pods, preemptor,
            [&](const Pod& pod) { return !leaves(pod) && !goes(pod); })) {
    break_("removes " + victims.front()->name + ", and " + preemptor.name +
           " does not fit all the same");
  }
  for (const Pod* back : victims) {
    const auto marked = policy::removal_mark(*back);
    if (marked && mirror.marked.count(back->uid) == 0) continue;  // chosen before, by another one
    if (fits(room.node, room.pods, preemptor, [&](const Pod& pod) {
          return !leaves(pod) && (pod.uid == back->uid || !goes(pod));
        })) {
      break_("removes " + back->name + ", which could stay beside " + preemptor.name);
    }
  }
}

SchedulerInvariants::Room SchedulerInvariants::room_of(const Mirror& mirror,
                                                       const std::string& node) const {
  Room room;
  if (const auto at = mirror.nodes.find(node); at != mirror.nodes.end()) room.node = at->second;
  for (const auto& [key, pod] : mirror.pods) {
    if (pod.node.empty() && pod.nominated_node == node) {
      room.nominated.insert(pod.uid + " " + std::to_string(policy::priority_of(pod)));
    }
    if (pod.node != node) continue;
    room.pods[pod.uid] = pod;
    const auto going = mirror.going.find(pod.uid);
    if (pod.deletion && going != mirror.going.end() && going->second.overdue <= mirror.now) {
      room.overdue.insert(pod.uid);
    }
    const auto shrinking = mirror.shrinking.find(pod.uid);
    if (shrinking != mirror.shrinking.end() && mirror.now - shrinking->second >= kShrinkMayTake) {
      room.stuck.insert(pod.uid);
    }
  }
  return room;
}

// What has changed since an earlier set was chosen, so that it is not enough any more; "": nothing.
std::string SchedulerInvariants::cause_between(const Room& before, const Room& now,
                                               const Pod& preemptor,
                                               const std::set<std::string, std::less<>>& chosen,
                                               const Mirror& mirror) {
  if (exceeds(before.node.allocatable, now.node.allocatable)) return "allocatable fell";
  if (before.nominated != now.nominated) return "nominations";
  for (const auto& [uid, pod] : now.pods) {
    const auto at = before.pods.find(uid);
    if (at == before.pods.end()) return pod.name + " arrived";
    const Pod& known = at->second;
    if (exceeds(policy::held_charge(pod), policy::held_charge(known))) return pod.name + " grew";
    if (uid != preemptor.uid && (pod.generation != known.generation ||
                                 policy::is_deferred(pod) != policy::is_deferred(known))) {
      return pod.name + " wants another size";
    }
    if (policy::totals_of(pod).allocated != policy::totals_of(known).allocated) {
      return pod.name + " was judged";
    }
    if (now.overdue.contains(uid) != before.overdue.contains(uid)) return pod.name + " is overdue";
    if (now.stuck.contains(uid) != before.stuck.contains(uid)) return pod.name + " does not shrink";
    const auto in_progress = [](const Pod& of) {
      return policy::find_condition(of.conditions, policy::kPodResizeInProgress) != nullptr;
    };
    if (in_progress(pod) != in_progress(known)) {
      return pod.name + " is being resized";
    }
    if (chosen.contains(uid)) {
      // Somebody took its mark away, or its delete was refused: it may stay.
      const bool goes = pod.deletion || mirror.deleted.contains(uid);
      if (!goes && !is_ours(pod)) return pod.name + " was not removed";
    }
  }
  return "";
}

// Every further set of victims for one resize has a cause.
void SchedulerInvariants::check_cause(const Mirror& mirror, const Pod& preemptor,
                                      const std::vector<const Pod*>& victims) {
  std::set<std::string, std::less<>> uids;
  for (const Pod* victim : victims) uids.insert(victim->uid);
  Room room = room_of(mirror, preemptor.node);
  auto& earlier = chosen_[{preemptor.uid, preemptor.generation}];
  bool is_further = !earlier.empty();
  for (const Chosen& each : earlier) {
    if (std::ranges::includes(each.uids, uids)) is_further = false;
  }
  if (is_further) {
    const Chosen& last = earlier.back();
    if (cause_between(last.room, room, preemptor, last.uids, mirror).empty()) {
      std::string names;
      for (const Pod* victim : victims) names += " " + victim->name;
      break_("removes" + names + " for " + preemptor.name +
             ", for which a set was removed before, and nothing has changed");
    }
  }
  const bool is_new = earlier.empty() || is_further;
  earlier.push_back({.uids = std::move(uids), .room = std::move(room)});
  Mirror& counted = const_cast<Mirror&>(mirror);
  if (is_new) check_breaker(counted, preemptor, victims.size());
}

void SchedulerInvariants::check_breaker(Mirror& mirror, const Pod& preemptor, std::size_t victims) {
  auto& sets = mirror.sets[preemptor.uid];
  while (!sets.empty() && sets.front() <= mirror.now - kWindow) sets.pop_front();
  sets.push_back(mirror.now);
  if (sets.size() > kSetsPerPod) break_("makes room too often for " + preemptor.name);
  auto& losses = mirror.losses[preemptor.node];
  while (!losses.empty() && losses.front().first <= mirror.now - kWindow) losses.pop_front();
  std::size_t lost = victims;
  for (const auto& [at, pods] : losses) lost += pods;
  if (!losses.empty() && lost > kPodsPerNode) {
    break_("takes too many pods from node " + preemptor.node);
  }
  losses.emplace_back(mirror.now, victims);
}

// ---- what reaches the API server ----

void SchedulerInvariants::asked(const std::string& name, const api::Request& request) {
  if (!mirrors_.contains(name) || request.method == api::Method::Get) return;
  const std::string what =
      name + " sends " + std::string(api::to_string(request.method)) + " " + request.path;
  const auto is_dry = std::ranges::any_of(request.query, [](const auto& each) {
    return each.first == "dryRun" && each.second == "All";
  });
  const bool is_pod = request.path.starts_with("/api/v1/namespaces/default/pods/");
  if (!is_pod) {
    const bool is_known =
        request.path.starts_with("/apis/events.k8s.io/v1/") ||
        request.path.starts_with("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases") ||
        (request.path.starts_with("/api/v1/nodes/") && is_dry);
    if (!is_known) break_(what + ", which it has no business with");
    return;
  }
  // Two never write under the Lease at one time.
  const lab::VirtualScheduler* writer = simulation_.scheduler(name);
  const lab::Json* lease = simulation_.world().peek(
      *lab::find_kind("coordination.k8s.io", "v1", "leases"), "kube-system", "elbowroom-scheduler");
  const std::string holder =
      lease == nullptr ? "" : lab::text_at(*lease, {"spec", "holderIdentity"});
  if (writer != nullptr && holder != writer->identity()) {
    break_(what + " while " + (holder.empty() ? "nobody" : holder) + " holds the Lease");
  }
  const lab::Json body = lab::Json::parse(request.body, nullptr, false);
  const std::string path =
      request.path.substr(std::string("/api/v1/namespaces/default/pods/").size());
  const std::string pod_name = path.substr(0, path.find('/'));
  if (request.method == api::Method::Patch && path.ends_with("/status")) {
    for (const auto& [key, value] : body["status"].items()) {
      bool is_own = key == "conditions";
      for (const lab::Json& each : value) {
        is_own = is_own && each.value("type", "") == policy::kDisruptionTarget;
      }
      if (!is_own) break_(what + " with " + request.body);
    }
    return;
  }
  if (request.method != api::Method::Delete) return break_(what);
  const std::string uid = lab::text_at(body, {"preconditions", "uid"});
  if (uid.empty()) return break_(what + " without a uid");
  if (body.contains("gracePeriodSeconds")) break_(what + " with a grace period of its own");
  if (body.contains("dryRun")) return;
  const lab::Json* pod =
      simulation_.world().peek(*lab::find_kind("", "v1", "pods"), "default", pod_name);
  if (pod == nullptr || lab::text_at(*pod, {"metadata", "uid"}) != uid) return;
  bool is_marked = pod->at("metadata").contains("deletionTimestamp");
  if (pod->contains("status") && (*pod)["status"].contains("conditions")) {
    for (const lab::Json& each : (*pod)["status"]["conditions"]) {
      is_marked = is_marked || (each.value("type", "") == policy::kDisruptionTarget &&
                                each.value("reason", "") == policy::kReasonPreemptionByScheduler);
    }
  }
  // Somebody may have taken the mark away since it was made; not everything can be prevented.
  const auto& marked = mirrors_[name].marked;
  if (!is_marked && !marked.contains(uid)) break_(what + " without a mark");
}

// ---- when it is over ----

void SchedulerInvariants::check_settled(const std::vector<std::string>& schedulers,
                                        const std::vector<std::string>& nodes) {
  const scheduler::Reactor* leader = nullptr;
  for (const std::string& name : schedulers) {
    const lab::VirtualScheduler* runs = simulation_.scheduler(name);
    if (runs == nullptr) {
      break_("settled: " + name + " does not run");
      continue;
    }
    if (runs->reactor().counts().useful_flushes > 0) {
      break_(name + " found something to do only by the safety net");
    }
    if (!runs->reactor().leads()) continue;
    if (leader != nullptr) break_("settled: two schedulers lead");
    leader = &runs->reactor();
  }
  if (leader == nullptr) return break_("settled: nobody leads");
  if (!leader->idle_because().empty()) break_("settled: idle because " + leader->idle_because());
  for (const std::string& node : nodes) check_settled_node(*leader, node);
}

void SchedulerInvariants::check_settled_node(const scheduler::Reactor& leader,
                                             const std::string& name) {
  const auto node = node_of(simulation_, name);
  if (!node) return break_("settled: node " + name + " is not there");
  const std::vector<Pod> pods = pods_on(simulation_, name);
  for (const Pod& pod : pods) {
    if (is_ours(pod) && !pod.deletion) {
      const auto mark = policy::removal_mark(pod);
      const bool stands = std::ranges::any_of(pods, [&](const Pod& each) {
        return each.uid == mark->uid && each.generation == mark->generation &&
               policy::is_deferred(each) && !each.deletion && !policy::is_finished(each);
      });
      if (!stands) break_("settled: " + pod.name + " carries a mark that means nothing any more");
    }
    if (policy::is_deferred(pod) && !pod.deletion && !policy::is_finished(pod)) {
      check_stated(leader, *node, pods, pod);
    }
  }
}

// Every resize that waits says why, and it is what a fresh look at everything says.
void SchedulerInvariants::check_stated(const scheduler::Reactor& leader, const policy::Node& node,
                                       const std::vector<Pod>& pods, const Pod& pod) {
  using policy::PreemptionOutcome;
  using scheduler::TurnResult;
  const auto at = leader.waiting().find(policy::key_of(pod));
  if (at == leader.waiting().end() || !at->second.result) {
    return break_("settled: " + pod.name + " waits, and the scheduler says nothing of it");
  }
  const scheduler::Waiting& waiting = at->second;
  if (waiting.uid != pod.uid || waiting.generation != pod.generation) {
    return break_("settled: what the scheduler says of " + pod.name + " is of an earlier resize");
  }
  const TurnResult said = *waiting.result;
  std::set<std::string_view> uids;
  bool same_uid = false;
  for (const Pod& each : pods) same_uid = !uids.insert(each.uid).second || same_uid;
  if (same_uid) return;
  const auto view = leader.snapshot().view(node.name);
  const policy::Lapsed lapsed = policy::lapsed_at(pods, simulation_.clock().wall);
  const policy::ResizePreemption plan = policy::plan_resize_preemption(
      {.node = node,
       .pods = pods,
       .nominated = view ? view->nominated : std::vector<Pod>{},
       .budgets = view ? view->budgets : policy::Budgets{},
       .lapsed = lapsed,
       .rules = upstream_ ? policy::RuleSet::Upstream : policy::RuleSet::Elbowroom,
       .now = simulation_.clock().wall},
      pod.uid);
  const auto is = [&](auto... results) { return ((said == results) || ...); };
  bool agrees = true;
  switch (plan.outcome) {
    case PreemptionOutcome::NotNeeded:
      agrees = is(TurnResult::Fits);
      break;
    case PreemptionOutcome::Preempt:
      agrees = is(TurnResult::Broken);
      break;
    case PreemptionOutcome::AwaitingVictims:
      agrees = is(TurnResult::Awaits, TurnResult::Preempts);
      break;
    case PreemptionOutcome::Disabled:
      agrees = is(TurnResult::Disabled);
      break;
    case PreemptionOutcome::PolicyNever:
      agrees = is(TurnResult::PolicyNever);
      break;
    case PreemptionOutcome::NoVictims:
      agrees = is(TurnResult::NoVictims);
      break;
  }
  if (agrees) return;
  break_("settled: of " + pod.name + " the scheduler says " +
         std::string(scheduler::row_of(said).name) + " (" + waiting.message + "), and it is " +
         std::string(policy::to_string(plan.outcome)) + " (" + plan.message + ")");
}

}  // namespace elbowroom::test
