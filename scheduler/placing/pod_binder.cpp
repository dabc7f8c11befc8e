#include "scheduler/placing/pod_binder.h"

#include <algorithm>
#include <utility>

#include "policy/placement/node_filter.h"
#include "policy/placement/volume_filter.h"
#include "scheduler/placing/schedule_terms.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

// A bound pod that the watch does not show bound by then is bound once more.
constexpr PodBinder::Time kBoundWithin{30'000};

// The outcome of a binding is not known: it may have been done. After a conflict the watch is
// behind: the pod is bound, by an earlier try perhaps, or was changed.
bool is_unknown(const Error& error) { return !is_refusal(error) && error.code != Code::NotFound; }

}  // namespace

void PodBinder::bind(const std::string& key, Waiting& pod, const Pod& seen,
                     const std::string& node) {
  turns_.act(pod, TurnResult::Binds, "");
  pod.node = node;
  state_.volume_waits.forget(key);
  const bool waits = begins_volumes(key, seen, node);
  if (!waits) send(victim_of(seen), key, node);
  state_.cluster.assume_cache().bind(seen, node);
  Pod placed = seen;
  placed.node = node;
  follower_.believe(cluster::PackedPod::packed(placed), key);
  if (waits) wait_for_volumes(key, node);
}

// ---- volumes ----

// What the node offers the pod's unbound claims now: the decision was made just before. False: all
// its claims are bound.
bool PodBinder::begins_volumes(const std::string& key, const Pod& seen, const std::string& node) {
  if (seen.placement.claims.empty()) return false;
  policy::ClusterRoom& room = state_.cluster.room();
  const auto number = room.find_node(node);
  const policy::VolumeFilter filter(room, seen);
  if (!number || !filter.obstacle().empty()) return false;
  const policy::VolumePlan plan = filter.plan(*number);
  if (plan.empty()) return false;
  const std::uint64_t begun =
      state_.volume_bindings.begin(key, seen.uid, node, plan, room.volumes(), state_.time());
  write_volumes({.key = key, .number = begun}, node, plan);
  return true;
}

// What is on the API server already is not written again.
void PodBinder::write_volumes(const VolumeWrite& whose, const std::string& node,
                              const policy::VolumePlan& plan) {
  const policy::VolumeRoom& volumes = state_.cluster.room().volumes();
  for (const policy::VolumePlan::Binding& each : plan.bindings) {
    const policy::PersistentVolume& volume = *volumes.volume(each.volume);
    const policy::VolumeClaim& claim = *volumes.claim(each.claim);
    const policy::ClaimRef ref{.ns = claim.ns, .name = claim.name, .uid = claim.uid};
    if (volume.claim == ref) continue;
    state_.outbox.emit(BindVolume{.volume = volume.name,
                                  .uid = volume.uid,
                                  .resource_version = volume.resource_version,
                                  .claim = ref,
                                  .was_reserved = volume.claim.has_value()},
                       state_.fence(), whose);
  }
  for (const std::string& each : plan.provisions) {
    const policy::VolumeClaim& claim = *volumes.claim(each);
    if (claim.selected_node == node) continue;
    state_.outbox.emit(SelectNode{.ns = claim.ns,
                                  .name = claim.name,
                                  .uid = claim.uid,
                                  .resource_version = claim.resource_version,
                                  .node = node},
                       state_.fence(), whose);
  }
}

void PodBinder::volume_not_written(const VolumeWrite& what, const Error& error) {
  state_.volume_bindings.failed(what.key, what.number, error.message);
  state_.waiting.queue().wake_one(what.key, cluster::Change::Own, state_.time());
}

void PodBinder::wait_for_volumes(const std::string& key, const std::string& node) {
  state_.waiting.queue().park(
      key,
      Queue::Wish{
          .nodes = {node},
          .there = cluster::Change::Own | cluster::Change::Allocatable | cluster::Change::Placing,
          .deadline = state_.volume_bindings.deadline_of(key)},
      state_.time());
}

// The pod's volumes are being bound: it waits, or is judged again after a backoff. True: they are.
bool PodBinder::has_volumes(const std::string& key, const Waiting& pod, const std::string& node) {
  policy::ClusterRoom& room = state_.cluster.room();
  auto status = state_.volume_bindings.look(key, room, state_.time());
  const auto placed = state_.cluster.snapshot().pod(key);
  if (!placed || policy::is_terminating(*placed)) {
    status = {.state = VolumeBindings::State::Failed, .why = "the pod is being deleted"};
  }
  switch (status.state) {
    case VolumeBindings::State::Waits:
      wait_for_volumes(key, node);
      return false;
    case VolumeBindings::State::Bound:
      state_.volume_bindings.end(key, room.volumes());
      return true;
    case VolumeBindings::State::Failed:
      break;
  }
  give_volumes_up(key, pod.uid, node, status.why);
  return false;
}

// Copies: the names may be those of what ends here.
void PodBinder::give_volumes_up(std::string key, std::string uid, const std::string& node,
                                const std::string& why) {
  state_.volume_bindings.end(key, state_.cluster.room().volumes());
  unbind(key);
  Waiting* judged = state_.waiting.find(key, uid);
  if (judged == nullptr) return;
  judged->result = TurnResult::Failed;
  judged->message = "its volumes were not bound on node " + node + ": " + why;
  turns_.tell(key, *judged, {.words = judged->message});
  state_.waiting.queue().retry(state_.waiting.entry_of(key), uid, {}, state_.time());
}

bool PodBinder::gives_way(const Pod& victim, std::string_view preemptor) {
  const std::string key = policy::key_of(victim);
  if (!state_.volume_bindings.is_waiting(key, victim.uid)) return false;
  give_volumes_up(key, victim.uid, state_.cluster.assume_cache().bound_to(key, victim.uid),
                  "the room is for " + std::string(preemptor));
  return true;
}

void PodBinder::send(const Victim& pod, const std::string& key, const std::string& node) {
  state_.outbox.emit(BindPod{.pod = pod, .node = node}, state_.fence(),
                     PodBinding{.key = key, .uid = pod.uid, .node = node});
}

bool PodBinder::judge(const std::string& key, const Waiting& pod) {
  const std::string node = state_.cluster.assume_cache().bound_to(key, pod.uid);
  if (node.empty()) return false;
  if (state_.volume_bindings.is_waiting(key, pod.uid)) {
    if (!has_volumes(key, pod, node)) return true;
    if (still_takes(key, node)) {
      send(named({.key = key, .uid = pod.uid}), key, node);
      return true;
    }
  } else if (binds_again(key, pod, node)) {
    return true;
  }
  // It is judged as the watch shows it now: that may end this Waiting.
  const std::string same = key;
  unbind(same);
  state_.waiting.queue().park(state_.waiting.entry_of(same), Queue::Wish{.deadline = state_.time()},
                              state_.time());
  return true;
}

// The outcome is not known: the binding is sent again, if the node still admits the pod. False: it
// does not.
bool PodBinder::binds_again(const std::string& key, const Waiting& pod, const std::string& node) {
  Queue& queue = state_.waiting.queue();
  const Time by = state_.time() + kBoundWithin;
  if (state_.outbox.binds(key, pod.uid)) {
    queue.park(key, Queue::Wish{.deadline = by}, state_.time());
    return true;
  }
  if (!state_.cluster.assume_cache().is_bound(key, pod.uid) && !still_takes(key, node)) {
    // The pods on an unclear node are not known.
    const bool is_kept =
        is_to_go(key, pod.uid, node) || state_.cluster.snapshot().unclear_nodes().contains(node);
    if (!is_kept) return false;
    queue.park(key,
               Queue::Wish{.nodes = {node},
                           .there = cluster::Change::RemovalEnded | cluster::Change::PodLeft,
                           .deadline = by},
               state_.time());
    return true;
  }
  turns_.count(TurnResult::Binds, pod);
  send(named({.key = key, .uid = pod.uid}), key, node);
  return true;
}

// The room of this pod is nominated to a more important pod: the node therefore no longer admits
// this pod, and nothing that it may hold there is free before it is removed.
bool PodBinder::is_to_go(const std::string& key, const std::string& uid,
                         const std::string& node) const {
  if (state_.cluster.is_assumed(key, uid) || state_.removals.is_victim(uid, node)) return true;
  const VictimMark* mark = state_.marks.find(key);
  return mark != nullptr && mark->uid == uid &&
         state_.waiting.needs(mark->mark, node, mark->goes_with_others);
}

// As if the pod were not there yet: beside the pods of the node and, once all terminating pods are
// gone, beside the pods nominated there too. A pod that was nominated after the binding was
// promised room beside this one. Pods that are perhaps bound there do not count: if each counted
// for the other, all would lose their room to a pod that is bound by another program.
bool PodBinder::still_takes(const std::string& key, const std::string& node) {
  const auto placed = state_.cluster.snapshot().pod(key);
  if (!placed) return false;
  state_.cluster.take_out_of_room(*placed, state_.clocks());
  const std::vector<Pod> perhaps = perhaps_on(node, placed->uid);
  for (const Pod& each : perhaps) state_.cluster.take_out_of_room(each, state_.clocks());
  const bool takes = takes_without(nominated_on(node), *placed, node) &&
                     takes_without(leaving_from(node), *placed, node);
  for (const Pod& each : perhaps) state_.cluster.put_in_room(each, state_.clocks());
  state_.cluster.put_in_room(*placed, state_.clocks());
  return takes;
}

bool PodBinder::takes_without(const std::vector<Pod>& others, Pod pod, const std::string& node) {
  pod.node.clear();
  const policy::ScheduleTerms terms = terms_for(pod, state_);
  policy::ClusterRoom& room = state_.cluster.room();
  for (const Pod& each : others) state_.cluster.take_out_of_room(each, state_.clocks());
  const auto number = room.find_node(node);
  const bool takes = number && policy::NodeFilter(room, pod, terms).refusal(*number).code ==
                                   policy::NodeCode::Success;
  for (const Pod& each : others) state_.cluster.put_in_room(each, state_.clocks());
  return takes;
}

std::vector<Pod> PodBinder::nominated_on(const std::string& node) {
  std::vector<Pod> pods;
  const auto number = state_.cluster.room().find_node(node);
  if (!number) return pods;
  for (const policy::RoomHolding& each : state_.cluster.room().nodes()[*number].nominated) {
    if (auto pod = state_.cluster.snapshot().pod(each.key)) pods.push_back(*std::move(pod));
  }
  return pods;
}

// The pods that are terminating, and those chosen to be removed.
std::vector<Pod> PodBinder::leaving_from(const std::string& node) {
  std::vector<Pod> pods;
  const auto number = state_.cluster.room().find_node(node);
  if (!number) return pods;
  const auto overdue = state_.cluster.deadlines().overdue(state_.time());
  for (const policy::RoomHolding& each : state_.cluster.room().nodes()[*number].holders) {
    const bool leaves = each.is_terminating() && !overdue.contains(each.uid);
    if (!leaves && !state_.removals.is_victim(each.uid, node)) continue;
    if (auto pod = state_.cluster.snapshot().pod(each.key)) pods.push_back(*std::move(pod));
  }
  return pods;
}

// The pods whose binding to the node has an unknown outcome and is not sent again now, except one
// and those that leave.
std::vector<Pod> PodBinder::perhaps_on(const std::string& node, const std::string& but) {
  std::vector<Pod> pods;
  const auto number = state_.cluster.room().find_node(node);
  if (!number) return pods;
  const AssumeCache& assumed = state_.cluster.assume_cache();
  for (const policy::RoomHolding& each : state_.cluster.room().nodes()[*number].holders) {
    if (each.uid == but || each.is_terminating() || state_.removals.is_victim(each.uid, node))
      continue;
    if (assumed.bound_to(each.key, each.uid) != node || assumed.is_bound(each.key, each.uid))
      continue;
    const bool is_sent = state_.outbox.binds(each.key, each.uid) ||
                         state_.volume_bindings.is_waiting(each.key, each.uid);
    if (is_sent) continue;
    if (auto pod = state_.cluster.snapshot().pod(each.key)) pods.push_back(*std::move(pod));
  }
  return pods;
}

// The watch is to show it.
void PodBinder::bound(const PodBinding& what) {
  ++state_.counts.bindings;
  turns_.say(named({.key = what.key, .uid = what.uid}), EventReason::Scheduled,
             "Successfully assigned " + what.key + " to " + what.node);
  state_.cluster.assume_cache().bound(what.key, what.uid, what.node);
  const Waiting* pod = state_.waiting.find(what.key, what.uid);
  if (pod == nullptr) return;
  state_.doubt_marks_for(*pod);
  state_.waiting.queue().park(what.key, Queue::Wish{.deadline = state_.time() + kBoundWithin},
                              state_.time());
}

// The pod waits again, and its room is free.
void PodBinder::unbind(const std::string& key) {
  const auto placed = state_.cluster.snapshot().pod(key);
  auto pod = state_.cluster.assume_cache().take_back_binding(key);
  if (!pod) return;
  state_.waiting.end_own_turn(key);
  follower_.believe(*std::move(pod), key);
  if (placed) state_.wake({placed->node, cluster::Change::PodLeft}, key);
}

void PodBinder::not_bound(const PodBinding& what, const Error& error) {
  ++state_.counts.unbound;
  const AssumeCache& assumed = state_.cluster.assume_cache();
  const bool waits = state_.waiting.find(what.key, what.uid) != nullptr;
  // Its room is kept until the outcome is known. A pod that an earlier try has bound is not unbound
  // by the refusal of a later one.
  const bool may_be_bound =
      is_unknown(error) || (error.code != Code::NotFound && assumed.is_bound(what.key, what.uid));
  const bool is_kept = waits && may_be_bound;
  if (!is_kept && assumed.bound_to(what.key, what.uid) == what.node) unbind(what.key);
  Waiting* pod = state_.waiting.find(what.key, what.uid);
  if (pod == nullptr) return;
  pod->result = TurnResult::Failed;
  pod->message = "it was not bound to node " + what.node + ": " + error.message;
  if (is_refusal(error)) turns_.tell(what.key, *pod, {.words = pod->message});
  state_.waiting.queue().retry(state_.waiting.entry_of(what.key), what.uid, error.retry_after,
                               state_.time());
}

}  // namespace elbowroom::scheduler
