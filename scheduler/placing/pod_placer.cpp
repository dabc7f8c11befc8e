#include "scheduler/placing/pod_placer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/removal_mark.h"
#include "policy/placement/placement_messages.h"
#include "policy/placement/volume_filter.h"
#include "policy/preemption/preemption_messages.h"
#include "scheduler/placing/pod_signature.h"
#include "scheduler/placing/schedule_terms.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;
using policy::SchedulingResult;

// Nodes that are passed over because of the circuit breaker before the pod waits for it.
constexpr int kMostTries = 8;

// What a search for victims costs of a node, in looks at a node.
constexpr std::size_t kSearchOfNode = 64;

constexpr std::string_view kGated = policy::kBlockedByGates;

// For the pod's owner.
PodText victims_in_words(const policy::SchedulingDecision& decision, const Pod& preemptor) {
  std::vector<PodText> names;
  for (const policy::VictimReport& each : decision.victims) {
    names.push_back(policy::name_for_reader(preemptor.ns, each.pod, each.uid));
  }
  return policy::listed_pods(names);
}

}  // namespace

// ---- the turn ----

PlaceTurn PodPlacer::judge(const std::string& key, Waiting& pod) {
  if (binder_.judge(key, pod)) return {};
  const auto seen = state_.cluster.snapshot().pod(key);
  if (!seen) {
    turns_.park(key, pod, TurnResult::Unknown, "the pod is not known", std::nullopt);
    return {};
  }
  pod.looks_around = looks_around(seen->placement);
  if (!seen->placement.gates.empty()) {
    reports_.tell_unplaced(key, pod, *seen, kSchedulingGated, std::string(kGated), std::nullopt);
    turns_.park(key, pod, TurnResult::Gated, std::string(kGated), std::nullopt);
    return {};
  }
  if (seen->group) {
    const std::string group = policy::group_key_of(*seen);
    const std::string obstacle = policy::group_obstacle(*seen);
    if (!obstacle.empty()) groups_.tell_unplaced(group, obstacle);
    groups_.look_at_priorities_soon(group);
    groups_.look_at_mode(group);
  }
  PlaceVerdict verdict = decide(pod, *seen);
  const std::size_t nodes = verdict.nodes_looked_at;
  return {.removal = settle(key, pod, *seen, std::move(verdict)), .nodes_looked_at = nodes};
}

// ---- the decision ----

PlaceVerdict PodPlacer::decide(const Waiting& pod, const Pod& seen) {
  if (!seen.placement.claims.empty()) {
    if (const std::string obstacle = state_.cluster.volumes_obstacle(); !obstacle.empty()) {
      return {.result = TurnResult::Unschedulable, .message = obstacle};
    }
  }
  policy::ScheduleTerms terms = terms_for(seen, state_);
  const bool is_plain = terms.avoided.empty() && terms.unremovable.empty();
  auto signature =
      is_plain ? pod_signature(seen, state_.cluster.room()) : std::optional<std::string>();
  UnplacedPods& unplaced = state_.waiting.queue().unplaced();
  if (signature) {
    if (const UnplacedPods::Answer* refusal = unplaced.find(*signature, state_.time())) {
      return {.result = TurnResult::Unschedulable,
              .message = refusal->message,
              .next_look = refusal->until,
              .signature = *std::move(signature)};
    }
  }
  terms.asks_want = signature.has_value();
  PlaceVerdict verdict = place_or_preempt(pod, seen, std::move(terms));
  if (verdict.result == TurnResult::Unschedulable && verdict.decision.want) {
    unplaced.add(*signature, *std::move(verdict.decision.want), verdict.message);
    verdict.signature = *std::move(signature);
  }
  return verdict;
}

// One try for each node that would do but for the circuit breaker, or that is stuck.
PlaceVerdict PodPlacer::place_or_preempt(const Waiting& pod, const Pod& seen,
                                         policy::ScheduleTerms terms) {
  const bool may_search = state_.has_removal_slot();
  if (!may_search) terms.no_victims_on.insert("*");
  HeldUp held_up;
  PlaceVerdict verdict;
  for (int tries = 0;; ++tries) {
    policy::ClusterRoom& room = state_.cluster.room();
    verdict.decision = policy::schedule(room, seen, terms);
    verdict.message = PodText(verdict.decision.message) + held_up.words;
    const bool has_searched = may_search && verdict.decision.result != SchedulingResult::Bind &&
                              verdict.decision.result != SchedulingResult::AwaitingVictims;
    verdict.nodes_looked_at += room.nodes().size() * (has_searched ? kSearchOfNode : 1);
    switch (verdict.decision.result) {
      case SchedulingResult::Bind:
        verdict.result = TurnResult::Binds;
        return verdict;
      case SchedulingResult::AwaitingVictims:
        await(verdict, seen, terms, held_up, may_search);
        return verdict;
      case SchedulingResult::Unschedulable:
        // What it wants is not said by the room alone.
        if (!terms.no_victims_on.empty()) verdict.decision.want.reset();
        refuse(verdict, pod, seen, terms, held_up, may_search);
        return verdict;
      case SchedulingResult::Preempt:
        break;
    }
    if (settles(verdict, pod, seen, held_up, tries == kMostTries)) return verdict;
    terms.no_victims_on.insert(verdict.decision.node);
  }
}

// The pod waits for `leaving`, unless a node that it avoided takes it before.
std::optional<PodPlacer::Time> PodPlacer::next_when_leaving(const Pod& seen,
                                                            std::span<const Pod> leaving) const {
  return sooner(state_.cluster.deadlines().next(leaving, state_.time()),
                state_.cluster.avoided_nodes().next(seen, state_.time()));
}

void PodPlacer::await(PlaceVerdict& verdict, const Pod& seen, const policy::ScheduleTerms& terms,
                      const HeldUp& held_up, bool may_search) {
  verdict.result = TurnResult::Awaits;
  const std::vector<Pod> pods = state_.cluster.snapshot().pods_of(verdict.decision.node);
  verdict.next_look = sooner(held_up.until, next_when_leaving(seen, pods));
  // A pod that leaves late is awaited only because no other node was searched.
  const bool is_late = std::ranges::any_of(pods, [&](const Pod& each) {
    const auto mark = policy::removal_mark(each);
    return each.deletion > terms.waits_until && !(mark && mark->uid == seen.uid);
  });
  if (is_late && !may_search) {
    verdict.next_look = sooner(verdict.next_look, state_.time() + Queue::kLongestBackoff);
  }
}

// Without a removal slot no victims are looked for: the pod would have to wait all the same.
void PodPlacer::refuse(PlaceVerdict& verdict, const Waiting& pod, const Pod& seen,
                       const policy::ScheduleTerms& terms, const HeldUp& held_up, bool may_search) {
  const Time now = state_.time();
  if (!may_search && preemption_policy_of(seen) != policy::PreemptionPolicy::Never) {
    turns_.want_slot(policy::key_of(seen), pod);
    verdict.result = TurnResult::Busy;
    verdict.message = std::string(kManyRemovals);
    verdict.next_look = now + Queue::kLongestBackoff;
    verdict.decision = {};
    verdict.decision.node = seen.nominated_node;
    return;
  }
  verdict.result = held_up.until           ? TurnResult::Broken
                   : held_up.words.empty() ? TurnResult::Unschedulable
                                           : TurnResult::TooMany;
  const auto removable =
      terms.unremovable.empty() ? std::nullopt : state_.cluster.refusals().next_anywhere(now);
  verdict.next_look =
      sooner(held_up.until, sooner(state_.cluster.avoided_nodes().next(seen, now), removable));
}

// The node would do with victims. False: another node is to be tried.
bool PodPlacer::settles(PlaceVerdict& verdict, const Waiting& pod, const Pod& seen, HeldUp& held_up,
                        bool is_last) {
  const std::string& node = verdict.decision.node;
  if (state_.removals.is_on(node)) {
    verdict.result = TurnResult::Busy;
    verdict.message = removing_on(node);
    return true;
  }
  for (const policy::VictimReport& each : verdict.decision.victims) {
    const auto victim = state_.cluster.snapshot().pod(each.pod);
    if (!victim || !state_.removals.is_on(victim->node)) continue;
    verdict.result = TurnResult::Busy;
    verdict.message = removing_on(victim->node);
    verdict.next_look = state_.time() + Queue::kFirstBackoff;
    return true;
  }
  if (!strip_leaving(verdict.decision) || has_twins(node)) {
    if (is_last) verdict.result = TurnResult::Unschedulable;
    return is_last;
  }
  if (verdict.decision.victims.empty()) {
    verdict.result = TurnResult::Awaits;
    verdict.next_look = next_when_leaving(seen, state_.cluster.snapshot().pods_of(node));
    return true;
  }
  if (const std::string marked = being_cleared(verdict.decision); !marked.empty()) {
    verdict.result = TurnResult::Busy;
    verdict.message = "an earlier mark of pod " + marked + " is being taken back";
    verdict.next_look = state_.time() + Queue::kFirstBackoff;
    return true;
  }
  return breaker_settles(verdict, pod, seen, held_up, is_last);
}

bool PodPlacer::breaker_settles(PlaceVerdict& verdict, const Waiting& pod, const Pod& seen,
                                HeldUp& held_up, bool is_last) {
  const Time now = state_.time();
  const std::string& node = verdict.decision.node;
  if (!state_.breaker_store.trouble().empty()) {
    verdict.result = TurnResult::Broken;
    verdict.message += " Nobody is removed now: " + not_kept_in_words(state_.breaker_store) + ".";
    verdict.next_look = now + Queue::kLongestBackoff;
    return true;
  }
  const auto answer = allowed_for(verdict.decision, pod.uid);
  if (answer && answer->at() == now) {
    verdict.result = TurnResult::Preempts;
    return true;
  }
  const PodText words = PodText(" The circuit breaker holds up the removal of ") +
                        victims_in_words(verdict.decision, seen) + " from node " + node + ".";
  held_up.words += words;
  verdict.message += words;
  if (answer) held_up.until = sooner(held_up.until, answer->at());
  const bool is_of_pod = answer && answer->for_pod > now;
  if (!is_of_pod && !is_last) return false;
  verdict.result = answer ? TurnResult::Broken : TurnResult::TooMany;
  verdict.next_look = sooner(held_up.until, state_.cluster.avoided_nodes().next(seen, now));
  return true;
}

// Groups that go whole lose pods on other nodes, too. The latest time counts.
std::optional<CircuitBreaker::Answer> PodPlacer::allowed_for(
    const policy::SchedulingDecision& decision, const std::string& preemptor) const {
  const Time now = state_.time();
  std::map<std::string, std::set<std::string>> by_node;
  for (const policy::VictimReport& each : decision.victims) {
    const auto pod = state_.cluster.snapshot().pod(each.pod);
    by_node[pod ? pod->node : decision.node].insert(pod ? counted_uid(*pod) : each.uid);
  }
  std::optional<CircuitBreaker::Answer> allowed = CircuitBreaker::Answer{now, now};
  for (const auto& [node, uids] : by_node) {
    const std::vector<std::string> counted(uids.begin(), uids.end());
    const auto there =
        state_.breaker.allowed_at(preemptor, state_.counted_node(node), counted, now);
    if (!there) return std::nullopt;
    if (there->at() > allowed->at()) allowed = there;
  }
  return allowed;
}

// Upstream's rules choose terminating pods, and on any node: no pod is removed twice, and a node
// that is stuck, where this is false, loses no pod. Our own rules see to both themselves.
bool PodPlacer::strip_leaving(policy::SchedulingDecision& decision) const {
  if (options_.rules != policy::RuleSet::Upstream) return true;
  const auto view = state_.cluster.view_of(decision.node, state_.clocks());
  if (!view) return true;
  const policy::OverduePods lapsed = state_.cluster.deadlines().lapsed(view->pods, state_.time());
  if (policy::stuck_node(view->node, view->pods, lapsed)) return false;
  std::erase_if(decision.victims, [&](const policy::VictimReport& each) {
    const auto pod = state_.cluster.snapshot().pod(each.pod);
    if (!pod || pod->uid != each.uid) return false;
    return policy::is_terminating(*pod) || state_.cluster.is_assumed(each.pod, each.uid);
  });
  return true;
}

// Two pods of one uid: a delete of one could remove the other.
bool PodPlacer::has_twins(const std::string& node) {
  const auto number = state_.cluster.room().find_node(node);
  if (!number) return false;
  std::set<std::string_view> uids;
  return !std::ranges::all_of(
      state_.cluster.room().nodes()[*number].holders,
      [&](const policy::RoomHolding& each) { return uids.insert(each.uid).second; });
}

// A victim whose earlier mark is being removed, which would remove that of this set with it; "":
// there is none.
std::string PodPlacer::being_cleared(const policy::SchedulingDecision& decision) const {
  for (const policy::VictimReport& each : decision.victims) {
    if (state_.is_clearing_mark_of(each.pod)) return each.pod;
  }
  return "";
}

std::optional<policy::SchedulingDecision> PodPlacer::decides_again(
    const Pod& seen, const std::string& node, const std::set<std::string>& victim_uids) {
  // By upstream's rules a nominated pod waits for the victims that leave its node, and removes no
  // others. That was looked at before; this nomination came with the removal itself.
  Pod pending = seen;
  if (options_.rules == policy::RuleSet::Upstream && pending.nominated_node == node) {
    pending.nominated_node.clear();
  }
  policy::ScheduleTerms terms = terms_for(pending, state_);
  terms.removes_only_on = node;
  policy::SchedulingDecision decision = policy::schedule(state_.cluster.room(), pending, terms);
  const bool is_stuck =
      decision.result == SchedulingResult::Preempt && (!strip_leaving(decision) || has_twins(node));
  std::set<std::string> chosen;
  for (const policy::VictimReport& each : decision.victims) chosen.insert(each.uid);
  if (decision.result != SchedulingResult::Preempt || is_stuck || chosen != victim_uids) {
    return std::nullopt;
  }
  return decision;
}

// ---- what follows from it ----

bool PodPlacer::lacks_claims(const Pod& seen) const {
  return !seen.placement.claims.empty() &&
         !policy::VolumeFilter(state_.cluster.room(), seen).obstacle().empty();
}

std::optional<RemovalRequest> PodPlacer::settle(const std::string& key, Waiting& pod,
                                                const Pod& seen, PlaceVerdict verdict) {
  pod.lacks_claims = verdict.result == TurnResult::Unschedulable && lacks_claims(seen);
  const bool acts = verdict.result == TurnResult::Binds || verdict.result == TurnResult::Preempts;
  if (acts && options_.dry_run) tell_dry_run(key, pod, seen, verdict);
  if (!acts || options_.dry_run) {
    settle_waiting(key, pod, seen, verdict);
    return std::nullopt;
  }
  if (verdict.result == TurnResult::Preempts) return preempt_for(key, pod, seen, verdict);
  binder_.bind(key, pod, seen, verdict.decision.node);
  return std::nullopt;
}

void PodPlacer::tell_dry_run(const std::string& key, Waiting& pod, const Pod& seen,
                             const PlaceVerdict& verdict) {
  const std::string& node = verdict.decision.node;
  const PodText words = verdict.result == TurnResult::Binds
                            ? PodText("It would be bound to node " + node)
                            : PodText("Removing ") + victims_in_words(verdict.decision, seen) +
                                  " from node " + node + " would make room";
  turns_.tell(key, pod, {.words = words, .reason = EventReason::Preempting});
}

// The node that the pod counts as waiting for. Returns its nomination, where that changes.
std::optional<std::string> PodPlacer::nominate(Waiting& pod, const Pod& seen,
                                               const PlaceVerdict& verdict) {
  const std::string& node = verdict.decision.node;
  const bool is_refused = verdict.result == TurnResult::Unschedulable ||
                          (verdict.result == TurnResult::TooMany && node.empty());
  if (is_refused) {
    pod.node.clear();
    return !seen.nominated_node.empty() ? std::optional<std::string>("") : std::nullopt;
  }
  if (verdict.result != TurnResult::Awaits && verdict.result != TurnResult::Busy) {
    return std::nullopt;
  }
  pod.node = node;
  const bool changes = verdict.result == TurnResult::Awaits && seen.nominated_node != node;
  return changes ? std::optional(node) : std::nullopt;
}

void PodPlacer::settle_waiting(const std::string& key, Waiting& pod, const Pod& seen,
                               const PlaceVerdict& verdict) {
  const std::string& node = verdict.decision.node;
  const auto nominated = nominate(pod, seen, verdict);
  if (!options_.dry_run && nominated) {
    nominations_.assume(seen, *nominated);
    // Only once: a pod that is nominated there again meanwhile has found room beside this one.
    if (verdict.result == TurnResult::Awaits) {
      for (const std::string& each : verdict.decision.outranked) nominations_.end(each, node);
    }
  }
  if (verdict.result != TurnResult::Busy && verdict.result != TurnResult::Binds) {
    reports_.tell_unplaced(key, pod, seen, kUnschedulable, verdict.message, nominated);
  }
  pod.signature = verdict.signature;
  state_.volume_waits.note(seen, state_.cluster.room().volumes());
  turns_.park(key, pod, verdict.result, verdict.message.full(), verdict.next_look);
}

RemovalRequest PodPlacer::preempt_for(const std::string& key, Waiting& pod, const Pod& seen,
                                      const PlaceVerdict& verdict) {
  const policy::SchedulingDecision& decision = verdict.decision;
  turns_.act(pod, TurnResult::Preempts, verdict.message.full());
  pod.node = decision.node;
  std::vector<Pod> victims;
  std::chrono::seconds longest{0};
  for (const policy::VictimReport& each : decision.victims) {
    auto victim = state_.cluster.snapshot().pod(each.pod);
    if (!victim) continue;
    longest = std::max(longest, std::chrono::seconds(victim->termination_grace_seconds));
    victims.push_back(*std::move(victim));
  }
  const OwnerEvent note{.words = PodText("Removing ") + victims_in_words(decision, seen) +
                                 " makes room on node " + decision.node,
                        .reason = EventReason::Preempting,
                        .joint = ", expected by ",
                        .time = state_.now.wall + longest};
  nominations_.assume(seen, decision.node);
  return {.preemptor = preemptor_of(key, pod),
          .victims = std::move(victims),
          .terms = {.budget_violations = decision.budget_violations,
                    .note = in_full(note),
                    .message = verdict.message}};
}

}  // namespace elbowroom::scheduler
