#include "scheduler/waiting/waiting_pods.h"

#include <algorithm>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/condition.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

bool is_deferred_now(const Pod& pod) {
  const policy::Condition* pending =
      policy::find_condition(pod.conditions, policy::kPodResizePending);
  return pending != nullptr && pending->reason == policy::kReasonDeferred &&
         pending->status == "True" && !policy::is_terminating(pod) && !policy::is_finished(pod);
}

// True if the pod's own turn can end differently now.
bool is_changed(const Pod* before, const Pod& after, bool is_pending) {
  return before != nullptr && before->uid == after.uid &&
         (policy::preemption_policy_of(*before) != policy::preemption_policy_of(after) ||
          (is_pending ? before->labels != after.labels || before->group != after.group
                      : before->conditions != after.conditions));
}

// The members of a gang that could be placed now.
std::size_t ready_in(const Waiting& gang) { return gang.members.size() - gang.gated.size(); }

}  // namespace

std::optional<Waiting> WaitingPods::follow(const Pod* before, const Pod* after, bool is_to_place,
                                           Time now) {
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  const bool waits_now = is_to_place || (after != nullptr && waits_for_room(*after));
  const auto at = waiting_.find(key);
  const bool in_gang = is_to_place && waits_with_its_gang(*after);
  const std::string gang = in_gang ? gang_id(policy::group_key_of(*after)) : "";
  const bool goes_on = waits_now && at != waiting_.end() && at->second.uid == after->uid &&
                       at->second.generation == after->generation &&
                       at->second.is_pending == is_to_place &&
                       (is_to_place || at->second.node == after->node) && at->second.gang == gang &&
                       (!in_gang || at->second.gang_uid == after->group->uid);
  std::optional<Waiting> dropped;
  if (!goes_on) dropped = drop(key);
  if (!waits_now) return dropped;
  if (!goes_on) {
    const auto deferred = deferred_since_.find(key);
    waiting_.emplace(
        key,
        Waiting{.uid = after->uid,
                .generation = after->generation,
                .is_pending = is_to_place,
                .node = is_to_place ? after->nominated_node : after->node,
                .priority = policy::priority_of(*after),
                .since = now,
                .deferred_since = deferred == deferred_since_.end() ? now : deferred->second.since,
                .gang = gang,
                .gang_uid = in_gang ? after->group->uid : ""});
    by_uid_[after->uid].insert(key);
  }
  Waiting& pod = waiting_.find(key)->second;
  pod.priority = policy::priority_of(*after);
  if (in_gang) {
    const MemberNews news = !goes_on                            ? MemberNews::Came
                            : !is_changed(before, *after, true) ? MemberNews::None
                            : before->group != after->group     ? MemberNews::Group
                                                                : MemberNews::Labels;
    join_gang(key, *after, news, now);
    return dropped;
  }
  queue_.add(key, is_to_place ? "" : pod.node, pod.priority, now);
  if (is_changed(before, *after, is_to_place)) queue_.wake_one(key, cluster::Change::Own, now);
  return dropped;
}

// A gang that was refused for want of members, or of room for them, is refused again for each one
// that comes, and every member is told of it: it rests between, longer each time, until the member
// comes that completes minCount.
void WaitingPods::join_gang(const std::string& key, const Pod& pod, MemberNews news, Time now) {
  const std::string id = gang_id(policy::group_key_of(pod));
  const auto [at, is_new] = waiting_.try_emplace(
      id, Waiting{.uid = pod.group->uid, .is_pending = true, .since = now, .is_group = true});
  Waiting& gang = at->second;
  if (!is_new && gang.uid != pod.group->uid) {
    // Another group has its name by now; its pods may be known already.
    forget_uid(gang.uid, id);
    gang = {.uid = pod.group->uid,
            .is_pending = true,
            .since = now,
            .is_group = true,
            .members = std::move(gang.members),
            .gated = std::move(gang.gated)};
    queue_.remove(id);
    slots_.remove(id);
  }
  by_uid_[gang.uid].insert(id);
  const std::size_t ready_before = ready_in(gang);
  gang.members.insert(key);
  if (pod.placement.gates.empty()) {
    gang.gated.erase(key);
  } else {
    gang.gated.insert(key);
  }
  gang.priority = pod.group->priority;
  queue_.add(id, "", gang.priority, now);
  queue_.set_size(id, gang.members.size());
  const bool completes = gang.needs && ready_before < *gang.needs && ready_in(gang) >= *gang.needs;
  if (is_new || (news == MemberNews::None && !completes)) return;
  if (completes || news == MemberNews::Group || (news == MemberNews::Came && !gang.needs)) {
    queue_.wake_one(id, cluster::Change::Own, now);
  } else {
    queue_.wake_later(id, now);
  }
}

void WaitingPods::forget_uid(const std::string& uid, const std::string& key) {
  const auto keys = by_uid_.find(uid);
  keys->second.erase(key);
  if (keys->second.empty()) by_uid_.erase(keys);
}

void WaitingPods::leave_gang(const std::string& key, const std::string& gang) {
  const auto at = waiting_.find(gang);
  if (at == waiting_.end()) return;
  at->second.members.erase(key);
  at->second.gated.erase(key);
  queue_.set_size(gang, at->second.members.size());
  if (at->second.members.empty()) static_cast<void>(drop(gang));
}

std::string WaitingPods::entry_of(std::string_view key) const {
  const Waiting* pod = find(key);
  return pod == nullptr || pod->gang.empty() || pod->has_own_turn ? std::string(key) : pod->gang;
}

void WaitingPods::member_changed(const std::string& group, Time now) {
  const std::string id = gang_id(group);
  if (waiting_.contains(id)) queue_.wake_one(id, cluster::Change::Own, now);
}

void WaitingPods::begin_own_turn(const std::string& key, Time now) {
  Waiting* pod = find(key);
  if (pod == nullptr || pod->gang.empty()) return;
  pod->has_own_turn = true;
  queue_.add(key, "", pod->priority, now);
}

void WaitingPods::end_own_turn(const std::string& key) {
  Waiting* pod = find(key);
  if (pod == nullptr || !std::exchange(pod->has_own_turn, false)) return;
  queue_.remove(key);
}

// A resize that was changed is not judged at once; until its node does, its condition says Deferred
// of the one before.
void WaitingPods::follow_deferral(const Pod* before, const Pod* after, Time now) {
  const bool same = before != nullptr && after != nullptr && before->uid == after->uid;
  if (before != nullptr && !same) last_sets_.erase(before->uid);
  const bool is_deferred = after != nullptr && is_deferred_now(*after);
  if (after != nullptr && !is_deferred) last_sets_.erase(after->uid);
  const std::string key = policy::key_of(after != nullptr ? *after : *before);
  const auto known = deferred_since_.find(key);
  const bool is_known = known != deferred_since_.end();
  if (!is_deferred) {
    if (is_known) deferred_since_.erase(known);
  } else if (!is_known || known->second.uid != after->uid) {
    deferred_since_[key] = {.uid = after->uid, .since = now};
  }
}

std::optional<Waiting> WaitingPods::drop(std::string_view key) {
  const auto at = waiting_.find(key);
  if (at == waiting_.end()) return std::nullopt;
  forget_uid(at->second.uid, at->first);
  queue_.remove(key);
  slots_.remove(key);
  Waiting dropped = std::move(at->second);
  const std::string name = at->first;
  waiting_.erase(at);
  if (!dropped.gang.empty()) leave_gang(name, dropped.gang);
  return dropped;
}

void WaitingPods::begin_again(Time now) {
  queue_ = {};
  for (auto& [key, pod] : waiting_) {
    pod.result.reset();
    pod.needs.reset();
    pod.written.clear();  // another leader may have written since
    if (!pod.gang.empty() && !pod.has_own_turn) continue;
    queue_.add(key, pod.is_pending ? "" : pod.node, pod.priority, now);
  }
}

WaitingPods::All::value_type* WaitingPods::entry(std::string_view key) {
  const auto at = waiting_.find(key);
  return at == waiting_.end() ? nullptr : &*at;
}

Waiting* WaitingPods::find(std::string_view key) {
  const auto at = waiting_.find(key);
  return at == waiting_.end() ? nullptr : &at->second;
}

const Waiting* WaitingPods::find(std::string_view key) const {
  const auto at = waiting_.find(key);
  return at == waiting_.end() ? nullptr : &at->second;
}

Waiting* WaitingPods::find(std::string_view key, std::string_view uid) {
  Waiting* pod = find(key);
  return pod != nullptr && pod->uid == uid ? pod : nullptr;
}

Waiting* WaitingPods::find(std::string_view key, std::string_view uid, std::int64_t generation) {
  Waiting* pod = find(key, uid);
  return pod != nullptr && pod->generation == generation ? pod : nullptr;
}

bool WaitingPods::needs(const policy::RemovalMark& mark, const std::string& node,
                        bool goes_with_others) const {
  const auto keys = by_uid_.find(mark.uid);
  if (keys == by_uid_.end()) return false;
  return std::ranges::any_of(keys->second, [&](const std::string& key) {
    const Waiting& pod = waiting_.find(key)->second;
    if (pod.generation != mark.generation) return false;
    // A pod that is to be judged again may get another answer.
    const bool is_judged = pod.result && queue_.where(key) == Queue::Where::Parked;
    const bool is_there = pod.is_group ? pod.nodes.contains(node) : pod.node == node;
    if (!is_there && !goes_with_others && (is_judged || !pod.is_pending)) return false;
    return !is_judged || row_of(*pod.result).marks_stand;
  });
}

const SetRecord* WaitingPods::last_set(std::string_view uid) const {
  const auto at = last_sets_.find(uid);
  return at == last_sets_.end() ? nullptr : &at->second;
}

}  // namespace elbowroom::scheduler
