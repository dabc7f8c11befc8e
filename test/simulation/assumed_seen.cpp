#include "test/simulation/assumed_seen.h"

#include <algorithm>
#include <set>
#include <variant>

#include "policy/model/charge.h"
#include "policy/model/removal_mark.h"
#include "test/simulation/room_seen.h"

namespace elbowroom::test {

using policy::Pod;

// ---- what it observes ----

void AssumedSeen::take_in(const scheduler::Observation& seen) {
  now_ = seen.at.since_start;
  if (!server_zero_) server_zero_ = seen.at.wall - now_;
  just_answered_.clear();
  std::visit([this](const auto& what) { on(what); }, seen.what);
}

void AssumedSeen::on(const scheduler::PodsListed& seen) {
  std::set<std::string, std::less<>> there(seen.unreadable.begin(), seen.unreadable.end());
  for (const cluster::PackedPod& packed : seen.objects) {
    there.insert(std::string(packed.key()));
    learn(packed.unpacked());
  }
  std::erase_if(known_, [&](const auto& each) {
    const bool is_gone = !there.contains(each.first);
    if (is_gone) forget(each.second.uid);
    return is_gone;
  });
}

void AssumedSeen::on(const scheduler::PodSeen& seen) { learn(seen.object.unpacked()); }

void AssumedSeen::on(const scheduler::PodGone& seen) {
  const auto at = known_.find(seen.key);
  if (at == known_.end() || (!seen.uid.empty() && at->second.uid != seen.uid)) return;
  forget(at->second.uid);
  known_.erase(at);
}

void AssumedSeen::learn(const Pod& pod) {
  const std::string key = policy::key_of(pod);
  const auto at = known_.find(key);
  const bool is_same = at != known_.end() && at->second.uid == pod.uid;
  if (at != known_.end() && !is_same) forget(at->second.uid);
  if (policy::is_finished(pod)) {
    const auto bound = bindings_.find(pod.uid);
    const bool was_there =
        is_same && (at->second.node == pod.node ||
                    (bound != bindings_.end() && bound->second.node == pod.node));
    turned_out_.note(pod, was_there ? now_ : failed_at(pod), now_);
    forget(pod.uid);
    known_.erase(key);
    return;
  }
  known_.insert_or_assign(key, pod);
  if (!pod.node.empty()) return forget(pod.uid);
  const auto nominated = nominations_.find(pod.uid);
  if (nominated != nominations_.end() && nominated->second.node == pod.nominated_node) {
    nominations_.erase(nominated);
  }
}

// For a pod found Failed: the time of the kubelet's report, from the pod itself.
std::chrono::milliseconds AssumedSeen::failed_at(const Pod& failed) const {
  const policy::Condition* target =
      policy::find_condition(failed.conditions, policy::kDisruptionTarget);
  auto said = failed.started ? failed.started : failed.created;
  if (target != nullptr && target->last_transition) said = target->last_transition;
  if (!said) return now_;
  return std::min(now_, std::chrono::ceil<std::chrono::milliseconds>(*said - *server_zero_));
}

void AssumedSeen::forget(const std::string& uid) {
  bindings_.erase(uid);
  nominations_.erase(uid);
  marked_.erase(uid);
}

// ---- what it decides, and the answers ----

void AssumedSeen::decided(const SchedulerMirror& mirror, const scheduler::Effect& effect,
                          std::uint64_t leadership) {
  if (const auto* bind = std::get_if<scheduler::BindPod>(&effect.what)) {
    Binding& binding = bindings_[bind->pod.uid];
    if (binding.node != bind->node) binding.is_accepted = false;
    binding.key = key_of(bind->pod);
    binding.node = bind->node;
    binding.under_way = effect.id;
    binding.for_volumes = false;
  } else if (const auto* pending = std::get_if<scheduler::WritePending>(&effect.what)) {
    being_written_[effect.id] = pending->pod.uid;
    if (pending->nominated) {
      nominations_[pending->pod.uid] = {*pending->nominated, leadership, true};
    }
  } else if (const auto* mark = std::get_if<scheduler::MarkVictim>(&effect.what)) {
    if (mark->clear) {
      being_cleared_[effect.id] = mark->victim.uid;
    } else {
      decided_to_mark(mirror, *mark, leadership);
    }
  }
}

// A preemptor that victims are marked for is assumed to be nominated to their node.
void AssumedSeen::decided_to_mark(const SchedulerMirror& mirror, const scheduler::MarkVictim& mark,
                                  std::uint64_t leadership) {
  Pod carries;
  carries.conditions = {mark.condition};
  const auto intent = policy::removal_mark(carries);
  const Pod* preemptor = intent ? mirror.find(intent->uid) : nullptr;
  const Pod* victim = mirror.find(mark.victim.uid);
  if (preemptor == nullptr || victim == nullptr || !preemptor->node.empty()) return;
  marked_[preemptor->uid].insert(victim->uid);
  if (unit_uid(*victim) != victim->uid) return;  // it may go with others of another node
  const bool is_shown = preemptor->nominated_node == victim->node;
  if (is_shown && !nominations_.contains(preemptor->uid)) return;
  nominations_[preemptor->uid] = {victim->node, leadership, false};
}

// A set whose marks were all taken back assumes nothing: a later nomination of its preemptor is
// new.
void AssumedSeen::answered(scheduler::EffectId effect) {
  if (const auto written = being_written_.extract(effect)) just_answered_ = written.mapped();
  const auto cleared = being_cleared_.find(effect);
  if (cleared == being_cleared_.end()) return;
  for (auto& [uid, victims] : marked_) {
    if (victims.erase(cleared->second) == 0 || !victims.empty()) continue;
    const auto at = nominations_.find(uid);
    if (at != nominations_.end() && !at->second.is_written) nominations_.erase(at);
  }
  being_cleared_.erase(cleared);
}

void AssumedSeen::on(const scheduler::Done& seen) {
  answered(seen.effect);
  for (auto& [uid, binding] : bindings_) {
    if (binding.under_way != seen.effect) continue;
    binding.under_way.reset();
    binding.is_accepted = true;
  }
}

// After a status write that failed another one, which waited for it, is due: its nomination is
// unseen until the watch shows the pod again.
void AssumedSeen::doubt_nomination_of(const std::string& uid) {
  const auto pod =
      std::ranges::find_if(known_, [&](const auto& each) { return each.second.uid == uid; });
  if (pod == known_.end()) return;
  const auto [at, is_new] = nominations_.try_emplace(uid);
  if (is_new) at->second.node = pod->second.nominated_node;
  at->second.is_written = false;
}

void AssumedSeen::on(const scheduler::Failed& seen) {
  answered(seen.effect);
  if (!just_answered_.empty()) doubt_nomination_of(just_answered_);
  const Code code = seen.error.code;
  const bool was_refused = code == Code::Denied || code == Code::Invalid;
  for (auto at = bindings_.begin(); at != bindings_.end();) {
    Binding& binding = at->second;
    const bool is_answered = binding.under_way == seen.effect;
    if (is_answered) binding.under_way.reset();
    const bool is_none = code == Code::NotFound || (was_refused && !binding.is_accepted);
    at = is_answered && is_none ? bindings_.erase(at) : std::next(at);
  }
}

// ---- its knowledge ----

bool AssumedSeen::is_nominated(const Pod& pod, const std::string& node, std::uint64_t leadership,
                               Known known) const {
  const bool is_being_written = std::ranges::any_of(
      being_written_, [&](const auto& entry) { return entry.second == pod.uid; });
  if (is_being_written) return known == Known::Perhaps;
  const auto at = nominations_.find(pod.uid);
  if (at == nominations_.end()) return pod.nominated_node == node;
  const Nomination& decided = at->second;
  const bool is_there = decided.node == node;
  if (known == Known::Perhaps) return is_there || pod.nominated_node == node;
  return is_there && decided.is_written && decided.leadership == leadership;
}

PlainMoment AssumedSeen::moment(const SchedulerMirror& mirror, const Pod& asking, bool upstream,
                                std::uint64_t leadership, Known known) const {
  PlainMoment moment;
  for (const auto& [name, node] : mirror.nodes) {
    moment.cluster.nodes.push_back(node);
  }
  moment.avoided = turned_out_.avoided_by(asking, now_);
  for (const auto& [key, pod] : mirror.pods) {
    if (pod.uid == asking.uid) continue;
    const auto binding = bindings_.find(pod.uid);
    Pod placed = pod;
    if (pod.node.empty() && binding != bindings_.end()) placed.node = binding->second.node;
    if (!placed.node.empty()) {
      const bool holds = upstream ? !policy::is_finished(placed) : policy::holds_room(placed);
      // No decision counts on a pod whose deletion was requested, shown or not.
      if (mirror.was_asked_to_go(pod.uid) && !placed.deletion) placed.deletion = policy::Time{};
      if (holds) moment.cluster.pods.push_back(placed);
      const bool overdue = pod.deletion && mirror.lapsed_on(placed.node).overdue.contains(pod.uid);
      if (!overdue && (pod.deletion || mirror.was_asked_to_go(pod.uid))) {
        moment.leaving.insert(pod.uid);
      }
      continue;
    }
    if (pod.deletion || policy::is_finished(pod)) continue;
    for (const auto& [name, node] : mirror.nodes) {
      if (!is_nominated(pod, name, leadership, known)) continue;
      placed.node = name;
      moment.nominated.push_back(placed);
    }
  }
  return moment;
}

}  // namespace elbowroom::test
