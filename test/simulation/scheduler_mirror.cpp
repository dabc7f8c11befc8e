#include "test/simulation/scheduler_mirror.h"

#include <algorithm>
#include <variant>

#include "policy/model/charge.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using scheduler::DeleteVictim;
using scheduler::MarkVictim;
using std::chrono::seconds;

constexpr SchedulerMirror::Time kBeyondDeadline{30'000};
constexpr SchedulerMirror::Time kActuationMayTake{60'000};
constexpr SchedulerMirror::Time kJudgementMayTake{30'000};
constexpr SchedulerMirror::Time kShownWithin{
    240'000};  // of a watch that has to be reported stale first

// Requests less of something than was allocated, and more of nothing than it has.
bool only_shrinks(const Pod& pod, const policy::Totals& totals) {
  return !policy::is_infeasible(pod) && has_more(totals.allocated, totals.desired) &&
         !has_more(totals.desired, policy::held_charge(totals));
}

}  // namespace

std::string key_of(const scheduler::Victim& victim) { return victim.ns + "/" + victim.name; }

bool is_ours(const Pod& pod) {
  const policy::Condition* target =
      policy::find_condition(pod.conditions, policy::kDisruptionTarget);
  return target != nullptr && target->reason == policy::kReasonPreemptionByScheduler &&
         policy::removal_mark(pod).has_value();
}

bool has_more(const policy::Resources& a, const policy::Resources& b) {
  bool more = false;
  policy::for_each_amount(a, [&](std::string_view name, std::int64_t amount) {
    more = more || amount > policy::amount_of(b, name);
  });
  return more;
}

// ---- what it observes ----

void SchedulerMirror::take_in(const scheduler::Observation& seen) {
  now = seen.at.since_start;
  std::visit([this](const auto& what) { on(what); }, seen.what);
}

void SchedulerMirror::on(const scheduler::NodesListed& seen) {
  nodes.clear();
  for (const policy::Node& node : seen.objects) nodes[node.name] = node;
  listed.insert(scheduler::Collection::Nodes);
  lost.erase(scheduler::Collection::Nodes);
}
void SchedulerMirror::on(const scheduler::NodeSeen& seen) { nodes[seen.object.name] = seen.object; }
void SchedulerMirror::on(const scheduler::NodeGone& seen) { nodes.erase(seen.key); }

void SchedulerMirror::on(const scheduler::PodsListed& seen) {
  std::set<std::string, std::less<>> there(seen.unreadable.begin(), seen.unreadable.end());
  for (const cluster::PackedPod& packed : seen.objects) {
    there.insert(std::string(packed.key()));
    learn(packed.unpacked());
  }
  std::vector<std::string> gone;
  for (const auto& [key, pod] : pods) {
    if (!there.contains(key)) gone.push_back(key);
  }
  for (const std::string& key : gone) forget(key);
  std::erase_if(unclear, [&](const auto& each) {
    return std::ranges::find(seen.unreadable, each.first) == seen.unreadable.end();
  });
  listed.insert(scheduler::Collection::Pods);
  lost.erase(scheduler::Collection::Pods);
}
void SchedulerMirror::on(const scheduler::PodSeen& seen) { learn(seen.object.unpacked()); }
void SchedulerMirror::on(const scheduler::PodGone& seen) {
  unclear.erase(seen.key);
  const auto at = pods.find(seen.key);
  if (at == pods.end()) return;
  if (seen.uid.empty() || at->second.uid == seen.uid) forget(seen.key);
}
void SchedulerMirror::on(const scheduler::BudgetsListed& /*seen*/) {
  listed.insert(scheduler::Collection::Budgets);
  lost.erase(scheduler::Collection::Budgets);
}
void SchedulerMirror::on(const scheduler::OwnBudgetsListed& /*seen*/) {
  listed.insert(scheduler::Collection::OwnBudgets);
  lost.erase(scheduler::Collection::OwnBudgets);
}
void SchedulerMirror::on(const scheduler::NamespacesListed& /*seen*/) {
  listed.insert(scheduler::Collection::Namespaces);
  lost.erase(scheduler::Collection::Namespaces);
}
void SchedulerMirror::on(const scheduler::PodGroupsListed& seen) {
  std::set<std::string, std::less<>> there(seen.unreadable.begin(), seen.unreadable.end());
  for (const policy::PodGroup& group : seen.objects) {
    there.insert(policy::key_of(group));
    groups[policy::key_of(group)] = group;
  }
  std::erase_if(groups, [&](const auto& each) { return !there.contains(each.first); });
  ask_groups();
  listed.insert(scheduler::Collection::PodGroups);
  lost.erase(scheduler::Collection::PodGroups);
}
void SchedulerMirror::on(const scheduler::PodGroupSeen& seen) {
  groups[policy::key_of(seen.object)] = seen.object;
  ask_groups();
}
void SchedulerMirror::on(const scheduler::PodGroupGone& seen) {
  const auto at = groups.find(seen.key);
  if (at == groups.end()) return;
  if (!seen.uid.empty() && at->second.standing.uid != seen.uid) return;
  groups.erase(at);
  ask_groups();
}
void SchedulerMirror::on(const scheduler::Unreadable& seen) {
  if (seen.kind != "Pod") return;
  const auto known = pods.find(seen.key);
  const bool is_known =
      known != pods.end() && known->second.uid == seen.uid && known->second.node == seen.node;
  if (seen.node.empty()) {
    unclear.erase(seen.key);
  } else if (!is_known) {
    unclear[seen.key] = seen.node;
  }
}
void SchedulerMirror::on(const scheduler::Lost& seen) {
  // What only scores nodes, or only decides on pods with claims, may be behind.
  if (seen.of < scheduler::Collection::Claims) lost.insert(seen.of);
}
void SchedulerMirror::on(const scheduler::Back& seen) { lost.erase(seen.of); }

void SchedulerMirror::learn(const Pod& pod) {
  const std::string key = policy::key_of(pod);
  unclear.erase(key);
  if (const auto at = pods.find(key); at != pods.end() && at->second.uid != pod.uid) forget(key);
  ask_groups(pods.insert_or_assign(key, pod).first->second);
  Waits& of = waits[key];
  const bool is_deferred =
      !pod.node.empty() && policy::is_deferred(pod) && !pod.deletion && !policy::is_finished(pod);
  if (!is_deferred) {
    of.deferred.reset();
  } else if (!of.deferred || of.deferred_generation != pod.generation) {
    of.deferred = now;
    of.deferred_generation = pod.generation;
  }
  const policy::Condition* pending =
      policy::find_condition(pod.conditions, policy::kPodResizePending);
  const bool says_deferred = pending != nullptr && pending->status == "True" &&
                             pending->reason == policy::kReasonDeferred && !pod.deletion &&
                             !policy::is_finished(pod);
  if (!says_deferred) of.said_deferred.reset();
  if (says_deferred && !of.said_deferred) of.said_deferred = now;
  if (pod.deletion && of.deletion != pod.deletion) {
    of.deletion = pod.deletion;
    of.overdue = now + seconds(pod.deletion_grace_seconds) + kBeyondDeadline;
  }
  const policy::Totals totals = policy::totals_of(pod);
  if (!has_more(totals.actual, totals.allocated)) {
    of.actuating.reset();
  } else if (!of.actuating || of.promised != totals.allocated) {
    of.actuating = now;
    of.promised = totals.allocated;
  }
  if (!only_shrinks(pod, totals)) {
    of.unjudged.reset();
  } else if (!of.unjudged || of.unjudged_generation != pod.generation) {
    of.unjudged = now;
    of.unjudged_generation = pod.generation;
  }
}

void SchedulerMirror::ask_groups(Pod& pod) const {
  const auto group = groups.find(policy::group_key_of(pod));
  pod.group.reset();
  if (group != groups.end()) pod.group = group->second.standing;
}

void SchedulerMirror::ask_groups() {
  for (auto& [key, pod] : pods) ask_groups(pod);
}

void SchedulerMirror::forget(std::string_view key) {
  if (const auto at = pods.find(key); at != pods.end()) pods.erase(at);
  if (const auto at = waits.find(key); at != waits.end()) waits.erase(at);
}

// ---- what it is answered ----

void SchedulerMirror::on(const scheduler::Done& seen) {
  const auto at = under_way.find(seen.effect);
  if (at == under_way.end()) return;
  if (const auto* mark = std::get_if<MarkVictim>(&at->second.what)) {
    if (mark->clear) {
      marked.erase(mark->victim.uid);
    } else {
      Pod carries;
      carries.conditions = {mark->condition};
      if (const auto intent = policy::removal_mark(carries)) {
        marked[mark->victim.uid] = *intent;
        checked.erase(mark->victim.uid);
      }
    }
  } else if (const auto* removed = std::get_if<DeleteVictim>(&at->second.what)) {
    if (removed->dry_run) {
      checked.insert(removed->victim.uid);
    } else {
      deleted[removed->victim.uid] = now;
      not_removed.erase(removed->victim.uid);
    }
  }
  if (seen.pod) {
    Pod answered = seen.pod->unpacked();
    ask_groups(answered);
    confirmed[answered.uid] = answered;
  }
  if (seen.group) confirmed_groups[seen.group->standing.uid] = *seen.group;
  under_way.erase(at);
}

void SchedulerMirror::on(const scheduler::Failed& seen) {
  const auto at = under_way.find(seen.effect);
  if (at == under_way.end()) return;
  const bool did_nothing = seen.error.code == Code::Denied || seen.error.code == Code::Invalid ||
                           seen.error.code == Code::NotFound;
  const auto* gone = std::get_if<DeleteVictim>(&at->second.what);
  if (did_nothing && gone != nullptr && !gone->dry_run) not_removed.insert(gone->victim.uid);
  // A pod that is already gone needs no further request.
  const bool is_gone = seen.error.code == Code::NotFound && gone != nullptr;
  if (is_gone && gone->dry_run) checked.insert(gone->victim.uid);
  if (seen.error.code == Code::Denied || seen.error.code == Code::Invalid) {
    if (const auto* mark = std::get_if<MarkVictim>(&at->second.what)) {
      if (!mark->clear) refused.insert(mark->victim.uid);
    } else if (const auto* removed = std::get_if<DeleteVictim>(&at->second.what)) {
      refused.insert(removed->victim.uid);
    } else if (const auto* asked = std::get_if<scheduler::ConfirmResize>(&at->second.what)) {
      refused.insert(asked->preemptor.uid);
    }
  }
  under_way.erase(at);
}

// ---- what it knows ----

const Pod* SchedulerMirror::find(std::string_view uid) const {
  for (const auto& [key, pod] : pods) {
    if (pod.uid == uid) return &pod;
  }
  return nullptr;
}

const policy::PodGroup* SchedulerMirror::find_group(std::string_view uid) const {
  for (const auto& [key, group] : groups) {
    if (group.standing.uid == uid) return &group;
  }
  return nullptr;
}

std::optional<SchedulerMirror::Time> SchedulerMirror::deferred_since(const Pod& pod) const {
  const auto at = waits.find(policy::key_of(pod));
  if (at == waits.end() || at->second.deferred_generation != pod.generation) return std::nullopt;
  return at->second.deferred;
}

std::optional<SchedulerMirror::Time> SchedulerMirror::said_deferred_since(const Pod& pod) const {
  const auto at = waits.find(policy::key_of(pod));
  return at == waits.end() ? std::nullopt : at->second.said_deferred;
}

std::vector<SchedulerMirror::Intent> SchedulerMirror::intents_of(const Pod& victim) const {
  std::vector<Intent> intents;
  if (const auto at = marked.find(victim.uid); at != marked.end()) intents.push_back(at->second);
  if (is_ours(victim)) intents.push_back(*policy::removal_mark(victim));
  return intents;
}

bool SchedulerMirror::was_asked_to_go(const std::string& uid) const {
  const auto at = deleted.find(uid);
  return at != deleted.end() && now - at->second < kShownWithin;
}

bool SchedulerMirror::is_unclear(std::string_view node) const {
  return std::ranges::any_of(unclear, [&](const auto& each) { return each.second == node; });
}

policy::OverduePods SchedulerMirror::lapsed_on(std::string_view node) const {
  policy::OverduePods lapsed;
  for (const auto& [key, pod] : pods) {
    if (pod.node != node) continue;
    const Waits& of = waits.find(key)->second;
    if (of.deletion && of.overdue <= now) lapsed.overdue.insert(pod.uid);
    if (of.actuating && *of.actuating + kActuationMayTake <= now) {
      lapsed.stuck_shrinks.insert(pod.uid);
    }
    if (of.unjudged && *of.unjudged + kJudgementMayTake <= now) {
      lapsed.unevaluated_shrinks.insert(pod.uid);
    }
  }
  return lapsed;
}

}  // namespace elbowroom::test
