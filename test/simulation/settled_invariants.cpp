#include "test/simulation/settled_invariants.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/resize_preemption.h"
#include "test/simulation/invariants.h"

namespace elbowroom::test {
namespace {

using policy::Pod;
using policy::PreemptionOutcome;
using scheduler::TurnResult;

bool waits(const Pod& pod) {
  return policy::is_deferred(pod) && !pod.deletion && !policy::is_finished(pod);
}

bool has_twins(const std::vector<Pod>& pods) {
  std::set<std::string_view> uids;
  return !std::ranges::all_of(pods, [&](const Pod& each) { return uids.insert(each.uid).second; });
}

}  // namespace

std::string SettledInvariants::check_leader(const std::vector<std::string>& schedulers) {
  std::string leader;
  for (const std::string& name : schedulers) {
    const lab::VirtualScheduler* runs = simulation_.scheduler(name);
    if (runs == nullptr) {
      broken_("settled: " + name + " does not run");
      continue;
    }
    const scheduler::Reactor& reactor = runs->reactor();
    if (reactor.counts().useful_flushes > 0) {
      broken_(name + " found something to do only by the safety net");
    }
    if (!reactor.leads()) continue;
    if (!leader.empty()) broken_("settled: two schedulers lead");
    leader = name;
    if (!reactor.idle_because().empty()) broken_("settled: idle because " + reactor.idle_because());
  }
  if (leader.empty()) broken_("settled: nobody leads");
  return leader;
}

void SettledInvariants::check_node(const std::string& leader, const SchedulerMirror& mirror,
                                   const CauseOfSets& causes, const std::string& name) {
  const auto node = node_of(simulation_, name);
  if (!node) return broken_("settled: node " + name + " is not there");
  std::vector<Pod> pods = pods_on(simulation_, name);
  check_marks(leader, *node, pods);
  // A pod that its node could never take does not matter to a resize.
  std::erase_if(pods, [&](const Pod& pod) { return policy::never_fits(*node, pod).has_value(); });
  for (const Pod& pod : pods) {
    if (waits(pod)) check_stated({leader, mirror, causes, *node, pods}, pod);
  }
}

// A pending pod waits for that node, and its last turn did not find that it needs no victims.
bool SettledInvariants::stands_for_pending(const std::string& leader, const policy::Node& node,
                                           const Pod& marked) const {
  const auto& waiting = simulation_.scheduler(leader)->reactor().waiting();
  return std::ranges::any_of(waiting, [&](const auto& each) {
    const scheduler::Waiting& pending = each.second;
    const auto mark = policy::removal_mark(marked);
    return pending.is_pending && mark && mark->uid == pending.uid &&
           mark->generation == pending.generation && pending.node == node.name && pending.result &&
           scheduler::row_of(*pending.result).marks_stand;
  });
}

// A pod that has finished may keep a mark: it will not be removed.
void SettledInvariants::check_marks(const std::string& leader, const policy::Node& node,
                                    const std::vector<Pod>& pods) {
  const auto may_preempt = [&](const Pod& pod) {
    return waits(pod) && !policy::disables_resize_preemption(node) &&
           pod.preemption_policy != policy::PreemptionPolicy::Never &&
           !policy::has_true(pod.conditions, policy::kPodResizePreemptionDisabled);
  };
  for (const Pod& pod : pods) {
    if (!is_ours(pod) || pod.deletion || policy::is_finished(pod)) continue;
    const bool stands = std::ranges::any_of(pods, [&](const Pod& each) {
      return may_preempt(each) && policy::is_marked_for(pod, each);
    });
    if (!stands && !stands_for_pending(leader, node, pod))
      broken_("settled: " + pod.name + " carries a mark that means nothing any more");
  }
}

void SettledInvariants::check_stated(const Look& look, const Pod& pod) {
  const scheduler::Reactor& reactor = simulation_.scheduler(look.leader)->reactor();
  const auto at = reactor.waiting().find(policy::key_of(pod));
  if (at == reactor.waiting().end() || !at->second.result) {
    return broken_("settled: " + pod.name + " waits, and the scheduler says nothing of it");
  }
  const scheduler::Waiting& said = at->second;
  if (said.uid != pod.uid || said.generation != pod.generation) {
    return broken_("settled: what the scheduler says of " + pod.name + " is of an earlier resize");
  }
  if (has_twins(look.pods)) return;  // it is not known which of them is meant
  const std::string found = disagreement(look, pod, said);
  if (found.empty()) return;
  broken_("settled: of " + pod.name + " the scheduler says " +
          std::string(scheduler::row_of(*said.result).name) + " (" + said.message +
          "), and it is " + found);
}

// The pods that the scheduler does not try to remove; the API server refused each.
policy::Unremovable SettledInvariants::refused_on(const Look& look) const {
  const scheduler::Reactor& reactor = simulation_.scheduler(look.leader)->reactor();
  policy::Unremovable refused = reactor.refusals().on(look.node.name, look.mirror.now);
  for (const auto& [uid, why] : refused) {
    if (!look.mirror.refused.contains(uid)) broken_("settled: " + uid + " was never refused");
  }
  return refused;
}

// "": a fresh check finds what was reported.
std::string SettledInvariants::disagreement(const Look& look, const Pod& pod,
                                            const scheduler::Waiting& said) {
  const auto view = simulation_.scheduler(look.leader)->reactor().snapshot().view(look.node.name);
  const policy::OverduePods lapsed = look.mirror.lapsed_on(look.node.name);
  const policy::Unremovable refused = refused_on(look);
  const policy::ResizePreemption plan = policy::plan_resize_preemption(
      {.node = look.node,
       .pods = look.pods,
       .nominated = view ? view->nominated : std::vector<Pod>{},
       .budgets = view ? view->budgets : policy::Budgets{},
       .lapsed = lapsed,
       .rules = upstream_ ? policy::RuleSet::Upstream : policy::RuleSet::Elbowroom,
       .now = simulation_.clock().wall,
       .unremovable = &refused},
      pod.uid);
  const auto is = [&](auto... results) { return ((*said.result == results) || ...); };
  const std::string found =
      std::string(policy::to_string(plan.outcome)) + " (" + plan.message.full() + ")";
  const auto unless = [&](bool agrees) { return agrees ? std::string() : found; };
  switch (plan.outcome) {
    case PreemptionOutcome::NotNeeded:
      return unless(is(TurnResult::Fits));
    case PreemptionOutcome::AwaitingVictims:
      return unless(is(TurnResult::Awaits, TurnResult::Preempts));
    case PreemptionOutcome::Disabled:
      return unless(is(TurnResult::Disabled));
    case PreemptionOutcome::PolicyNever:
      return unless(is(TurnResult::PolicyNever));
    case PreemptionOutcome::NoVictims:
      return unless(is(TurnResult::NoVictims));
    case PreemptionOutcome::Preempt:
      break;
  }
  // Upstream's rules choose terminating pods, and pods on stuck nodes; ours do not.
  const auto more = std::ranges::count_if(
      plan.victims, [](const policy::ChosenVictim& each) { return !each.pod->deletion; });
  if (more == 0) return unless(is(TurnResult::Awaits, TurnResult::Preempts));
  if (policy::stuck_node(look.node, look.pods, lapsed)) return unless(is(TurnResult::NoVictims));
  // The pod waits for a victim that another scheduler may have removed as long as the victim
  // exists.
  if (is(TurnResult::Yields)) {
    return unless(std::ranges::any_of(look.pods, [&](const Pod& each) {
      return each.deletion && policy::holds_room(each) && !policy::is_marked_for(each, pod);
    }));
  }
  if (is(TurnResult::Refused)) return unless(look.mirror.refused.contains(pod.uid));
  return unless(is(TurnResult::Broken, TurnResult::TooMany) &&
                look.causes.may_be_broken(pod, static_cast<std::size_t>(more)));
}

}  // namespace elbowroom::test
