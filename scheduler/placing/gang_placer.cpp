#include "scheduler/placing/gang_placer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "policy/preemption/preemption_messages.h"
#include "scheduler/placing/pod_signature.h"
#include "scheduler/placing/schedule_terms.h"

namespace elbowroom::scheduler {
namespace {

using policy::GroupSchedulingDecision;
using policy::Pod;
using policy::PodText;
using policy::SchedulingResult;

// Stuck nodes that are met one after the other before the gang waits.
constexpr int kMostTries = 8;

// The units that go, by node, as the circuit breaker counts them: a group that goes whole is one on
// each node.
std::map<std::string, std::vector<std::string>> counted_by_node(const std::vector<Pod>& victims) {
  std::map<std::string, std::set<std::string>> counted;
  for (const Pod& each : victims) counted[each.node].insert(counted_uid(each));
  std::map<std::string, std::vector<std::string>> sorted;
  for (const auto& [node, uids] : counted) sorted[node].assign(uids.begin(), uids.end());
  return sorted;
}

PodText victims_in_words(const GroupSchedulingDecision& decision) {
  const std::string reader = decision.group.substr(0, decision.group.find('/'));
  std::vector<PodText> names;
  for (const policy::VictimReport& each : decision.victims) {
    names.push_back(policy::name_for_reader(reader, each.pod, each.uid));
  }
  return policy::listed_pods(names);
}

std::set<std::string> nodes_of(const GroupSchedulingDecision& decision) {
  std::set<std::string> nodes;
  for (const policy::MemberPlacement& each : decision.placements) nodes.insert(each.node);
  return nodes;
}

}  // namespace

// ---- the turn ----

PlaceTurn GangPlacer::judge(const std::string& id, Waiting& gang) {
  gang.needs.reset();
  if (const auto nodes = nodes_of_leaving_victims(gang); !nodes.empty()) {
    gang.nodes.insert(nodes.begin(), nodes.end());
    if (!options_.dry_run) clear_infeasible(id, gang);
    turns_.park(id, gang, TurnResult::Awaits, gang.message, next_deadline(nodes));
    return {};
  }
  const Seen seen = this->seen(id);
  if (seen.gang.pending.empty()) {
    // All are being bound: one whose binding fails wakes the gang.
    state_.waiting.queue().park(id, Queue::Wish{.nodes = gang.nodes, .there = Change::Own},
                                state_.time());
    return {};
  }
  gang.looks_around = std::ranges::any_of(
      seen.gang.pending, [](const Pod& pod) { return looks_around(pod.placement); });
  groups_.look_at_priorities(seen.gang.key);
  Verdict verdict = decide(gang, seen);
  PlaceTurn turn{.nodes_looked_at =
                     state_.cluster.room().nodes().size() * seen.gang.pending.size()};
  const bool acts = verdict.result == TurnResult::Binds || verdict.result == TurnResult::Preempts;
  if (!acts || options_.dry_run) {
    settle_waiting(id, gang, seen, verdict);
  } else if (verdict.result == TurnResult::Binds) {
    bind(gang, verdict);
    // Those above minCount that found no room are told why in a turn of their own. A pod that comes
    // while these are being bound is tried, too.
    const bool is_all = verdict.decision.placements.size() == seen.gang.pending.size();
    state_.waiting.queue().park(
        id,
        Queue::Wish{.nodes = gang.nodes,
                    .there = Change::Own,
                    .deadline = is_all ? std::nullopt : std::optional(state_.time())},
        state_.time());
  } else {
    turn.removal = preempt_for(id, gang, verdict);
  }
  return turn;
}

// One of hundreds of victims left: no other pods are chosen, and nothing is bound, before the last.
// Another process may have had them marked, on any node. Upstream waits only where the gang does
// not fit.
std::set<std::string> GangPlacer::nodes_of_leaving_victims(const Waiting& gang) {
  std::set<std::string> nodes;
  if (options_.rules == policy::RuleSet::Upstream) return nodes;
  const policy::ClusterRoom& room = state_.cluster.room();
  const auto overdue = state_.cluster.deadlines().overdue(state_.time());
  const auto leaves = [&](const policy::RoomHolding& pod) {
    return pod.is_terminating() && pod.mark && pod.mark->uid == gang.uid &&
           !overdue.contains(pod.uid);
  };
  for (std::size_t node = 0; node < room.nodes().size(); ++node) {
    if (!room.figures()[node].has_marked) continue;
    const policy::NodeRoom& of = room.nodes()[node];
    if (std::ranges::any_of(of.holders, leaves)) nodes.insert(of.node.name);
  }
  return nodes;
}

// A nomination to a node that takes the pod no more holds room in vain. The next round finds
// another node for the pod. It costs a look at every member, so it is done only after a change of
// some node.
void GangPlacer::clear_infeasible(const std::string& id, Waiting& gang) {
  const std::uint64_t changes = state_.cluster.node_changes();
  if (std::exchange(gang.node_changes, changes) == changes) return;
  for (const std::string& key : infeasible_of(id)) {
    Waiting* member = state_.waiting.find(key);
    const auto pod = state_.cluster.snapshot().pod(key);
    if (member == nullptr || !pod || pod->nominated_node != member->node) continue;
    member->node.clear();
    nominations_.assume(*pod, "");
    reports_.tell_unplaced(key, *member, *pod, kUnschedulable,
                           "the node that it was nominated to takes it no more", "");
  }
}

// Victims that are not deleted yet, as an earlier process ended before, are to go all the same.
std::vector<std::string> GangPlacer::infeasible_of(const std::string& id) {
  const policy::Gang gang = seen(id).gang;
  if (gang.pending.empty()) return {};
  std::vector<Pod> marked;
  policy::ClusterRoom& room = state_.cluster.room();
  for (std::size_t node = 0; node < room.nodes().size(); ++node) {
    if (!room.figures()[node].has_marked) continue;
    for (const policy::RoomHolding& each : room.nodes()[node].holders) {
      if (each.is_terminating() || !each.mark || each.mark->uid != gang.standing.uid) continue;
      if (auto pod = state_.cluster.snapshot().pod(each.key)) marked.push_back(*std::move(pod));
    }
  }
  for (const Pod& each : marked) state_.cluster.take_out_of_room(each, state_.clocks());
  std::vector<std::string> infeasible = policy::infeasible_nominations(room, gang, terms_of(gang));
  for (const Pod& each : marked) state_.cluster.put_in_room(each, state_.clocks());
  return infeasible;
}

std::optional<GangPlacer::Time> GangPlacer::next_deadline(
    const std::set<std::string>& nodes) const {
  std::optional<Time> next;
  for (const std::string& node : nodes) {
    const std::vector<Pod> pods = state_.cluster.snapshot().pods_of(node);
    next = sooner(next, state_.cluster.deadlines().next(pods, state_.time()));
  }
  return next;
}

// When the first node that some member avoids is available to it again.
std::optional<GangPlacer::Time> GangPlacer::next_avoided(const policy::Gang& gang) const {
  std::optional<Time> next;
  for (const Pod& pod : gang.pending) {
    next = sooner(next, state_.cluster.avoided_nodes().next(pod, state_.time()));
  }
  return next;
}

GangPlacer::Seen GangPlacer::seen(const std::string& id) const {
  const std::string key(group_key_in(id));
  const cluster::Snapshot& snapshot = state_.cluster.snapshot();
  Seen made{.gang = {.key = key}};
  const policy::PodGroup* group = snapshot.groups().find(key);
  if (group == nullptr) return made;
  made.gang.standing = group->standing;
  made.gang.is_leaving = group->deletion.has_value();
  for (Pod& pod : snapshot.members_of(key)) {
    if (policy::is_terminating(pod)) continue;
    if (!pod.node.empty()) {
      ++made.gang.bound;
    } else if (!follower_.is_ours(pod)) {
      if (made.obstacle.empty()) {
        made.obstacle = "pod group " + key + " is not placed: its pod " + policy::key_of(pod) +
                        " has the schedulerName " + pod.scheduler_name;
      }
    } else if (pod.placement.gates.empty()) {
      made.gang.pending.push_back(std::move(pod));
    } else {
      made.gang.gated.push_back(policy::key_of(pod));
    }
  }
  return made;
}

// ---- the decision ----

policy::ScheduleTerms GangPlacer::terms_of(const policy::Gang& gang) const {
  policy::ScheduleTerms terms = terms_for(gang.pending, state_);
  if (!state_.has_removal_slot()) terms.no_victims_on.insert("*");
  for (const auto& [number, removal] : state_.removals.all()) {
    if (removal.set.preemptor().uid == gang.standing.uid) continue;
    for (const std::string& node : Removals::nodes_of(removal.set)) {
      terms.no_victims_on.insert(node);
    }
  }
  return terms;
}

GangPlacer::Verdict GangPlacer::decide(const Waiting& gang, const Seen& seen) {
  if (!seen.obstacle.empty()) {
    return {.result = TurnResult::Unschedulable, .message = seen.obstacle};
  }
  if (std::ranges::any_of(seen.gang.pending,
                          [](const Pod& each) { return !each.placement.claims.empty(); })) {
    if (const std::string obstacle = state_.cluster.volumes_obstacle(); !obstacle.empty()) {
      return {.result = TurnResult::Unschedulable, .message = obstacle};
    }
  }
  policy::ScheduleTerms terms = terms_of(seen.gang);
  Verdict verdict;
  verdict.decision = schedule(seen.gang, terms);
  verdict.message = verdict.decision.message;
  const Time now = state_.time();
  switch (verdict.decision.result) {
    case SchedulingResult::Bind:
      verdict.result = TurnResult::Binds;
      break;
    case SchedulingResult::AwaitingVictims:
      awaits(verdict, seen.gang);
      break;
    case SchedulingResult::Unschedulable:
      verdict.result = TurnResult::Unschedulable;
      if (terms.no_victims_on.contains("*") && !seen.gang.is_leaving) {
        turns_.want_slot(gang_id(seen.gang.key), gang);
        verdict.result = TurnResult::Busy;
        verdict.message = std::string(kManyRemovals);
        verdict.next_look = now + Queue::kLongestBackoff;
      } else {
        const auto removable =
            terms.unremovable.empty() ? std::nullopt : state_.cluster.refusals().next_anywhere(now);
        verdict.next_look = sooner(removable, next_avoided(seen.gang));
      }
      break;
    case SchedulingResult::Preempt:
      strip_leaving(verdict.decision);
      if (verdict.decision.victims.empty()) {
        awaits(verdict, seen.gang);
      } else if (!settles(verdict, gang)) {
        verdict.result = TurnResult::Preempts;
      } else if (verdict.result == TurnResult::Broken || verdict.result == TurnResult::TooMany) {
        verdict.next_look = sooner(verdict.next_look, next_avoided(seen.gang));
      }
      break;
  }
  return verdict;
}

// It goes on before its victims have left where a node that a member avoided takes it.
void GangPlacer::awaits(Verdict& verdict, const policy::Gang& gang) const {
  verdict.result = TurnResult::Awaits;
  verdict.next_look = sooner(next_deadline(nodes_of(verdict.decision)), next_avoided(gang));
}

// Upstream's rules choose pods on stuck nodes, too: no such pod is removed.
GroupSchedulingDecision GangPlacer::schedule(const policy::Gang& gang,
                                             policy::ScheduleTerms& terms) const {
  for (int tries = 0;; ++tries) {
    GroupSchedulingDecision made = policy::schedule_gang(state_.cluster.room(), gang, terms);
    const std::size_t known = terms.no_victims_on.size();
    if (options_.rules == policy::RuleSet::Upstream) {
      for (const Pod& victim : victims_of(made)) {
        const auto view = state_.cluster.view_of(victim.node, state_.clocks());
        if (!view) continue;
        const auto lapsed = state_.cluster.deadlines().lapsed(view->pods, state_.time());
        if (policy::stuck_node(view->node, view->pods, lapsed)) {
          terms.no_victims_on.insert(victim.node);
        }
      }
    }
    if (terms.no_victims_on.size() == known) return made;
    if (tries == kMostTries) {
      made.result = SchedulingResult::Unschedulable;
      made.victims.clear();
      made.placements.clear();
      return made;
    }
  }
}

// Upstream's rules choose terminating pods, too: no pod is removed twice.
void GangPlacer::strip_leaving(GroupSchedulingDecision& decision) const {
  std::erase_if(decision.victims, [this](const policy::VictimReport& each) {
    const auto pod = state_.cluster.snapshot().pod(each.pod);
    if (!pod || pod->uid != each.uid) return false;
    return policy::is_terminating(*pod) || state_.cluster.is_assumed(each.pod, each.uid);
  });
}

// Something keeps the victims from being removed now.
bool GangPlacer::settles(Verdict& verdict, const Waiting& gang) {
  const Time now = state_.time();
  for (const policy::VictimReport& each : verdict.decision.victims) {
    const auto pod = state_.cluster.snapshot().pod(each.pod);
    if (pod && state_.removals.is_on(pod->node)) {
      verdict.result = TurnResult::Busy;
      verdict.message = removing_on(pod->node);
      return true;
    }
    if (!state_.is_clearing_mark_of(each.pod)) continue;
    verdict.result = TurnResult::Busy;
    verdict.message = "an earlier mark of pod " + each.pod + " is being taken back";
    verdict.next_look = now + Queue::kFirstBackoff;
    return true;
  }
  return breaker_settles(verdict, gang);
}

bool GangPlacer::breaker_settles(Verdict& verdict, const Waiting& gang) {
  const Time now = state_.time();
  if (!state_.breaker_store.trouble().empty()) {
    verdict.result = TurnResult::Broken;
    verdict.message += " Nobody is removed now: " + not_kept_in_words(state_.breaker_store) + ".";
    verdict.next_look = now + Queue::kLongestBackoff;
    return true;
  }
  for (const auto& [node, uids] : counted_by_node(victims_of(verdict.decision))) {
    const auto answer = state_.breaker.allowed_at(gang.uid, state_.counted_node(node), uids, now);
    if (answer && answer->at() == now) continue;
    verdict.result = answer ? TurnResult::Broken : TurnResult::TooMany;
    verdict.message += PodText(" The circuit breaker holds up the removal of ") +
                       victims_in_words(verdict.decision) + ", because of node " + node + ".";
    if (answer) verdict.next_look = answer->at();
    return true;
  }
  return false;
}

std::optional<GroupSchedulingDecision> GangPlacer::decides_again(
    const std::string& id, const std::set<std::string>& victim_uids) {
  Seen seen = this->seen(id);
  if (!seen.obstacle.empty() || seen.gang.pending.empty()) return std::nullopt;
  // By upstream's rules a nominated gang waits for the pods that leave its nodes, and removes no
  // others. That was looked at before; these nominations came with the removal itself.
  if (options_.rules == policy::RuleSet::Upstream) {
    for (Pod& pod : seen.gang.pending) pod.nominated_node.clear();
  }
  policy::ScheduleTerms terms = terms_of(seen.gang);
  terms.no_victims_on.erase("*");
  GroupSchedulingDecision decision = schedule(seen.gang, terms);
  strip_leaving(decision);
  std::set<std::string> chosen;
  for (const policy::VictimReport& each : decision.victims) chosen.insert(each.uid);
  if (decision.result != SchedulingResult::Preempt || chosen != victim_uids) return std::nullopt;
  return decision;
}

// ---- what follows from it ----

std::vector<Pod> GangPlacer::victims_of(const GroupSchedulingDecision& decision) const {
  std::vector<Pod> victims;
  for (const policy::VictimReport& each : decision.victims) {
    auto victim = state_.cluster.snapshot().pod(each.pod);
    if (victim) victims.push_back(*std::move(victim));
  }
  return victims;
}

void GangPlacer::bind(Waiting& gang, const Verdict& verdict) {
  turns_.act(gang, TurnResult::Binds, "");
  gang.nodes = nodes_of(verdict.decision);
  for (const policy::MemberPlacement& each : verdict.decision.placements) {
    Waiting* member = state_.waiting.find(each.pod, each.uid);
    const auto pod = state_.cluster.snapshot().pod(each.pod);
    if (member == nullptr || !pod || pod->uid != each.uid) continue;
    state_.waiting.begin_own_turn(each.pod, state_.time());
    binder_.bind(each.pod, *member, *pod, each.node);
  }
}

void GangPlacer::nominate(const GroupSchedulingDecision& decision, const PodText& why,
                          bool is_written) {
  bool is_new = is_written;
  for (const policy::MemberPlacement& each : decision.placements) {
    Waiting* member = state_.waiting.find(each.pod, each.uid);
    const auto pod = state_.cluster.snapshot().pod(each.pod);
    if (member == nullptr || !pod || pod->uid != each.uid) continue;
    member->node = each.node;
    const bool changes = is_written || pod->nominated_node != each.node;
    is_new |= changes;
    nominations_.assume(*pod, each.node);
    reports_.tell_unplaced(each.pod, *member, *pod, kUnschedulable, why,
                           changes ? std::optional(each.node) : std::nullopt);
  }
  if (!is_new) return;
  // Only once: a pod that is nominated there again meanwhile has found room beside these.
  for (const std::string& each : decision.outranked) {
    const auto pod = state_.cluster.snapshot().pod(each);
    if (pod) nominations_.end(each, pod->nominated_node);
  }
}

void GangPlacer::settle_waiting(const std::string& id, Waiting& gang, const Seen& seen,
                                const Verdict& verdict) {
  if (verdict.result == TurnResult::Awaits && !options_.dry_run) {
    gang.nodes = nodes_of(verdict.decision);
    nominate(verdict.decision, "waits for the pods that leave the nodes of its group");
  } else if (verdict.result == TurnResult::Unschedulable) {
    gang.nodes.clear();
    if (const std::size_t needed = policy::needed_members(seen.gang); needed > 0) {
      gang.needs = needed;
      groups_.tell_unplaced(seen.gang.key, verdict.message);
    }
    for (const Pod& pod : seen.gang.pending) {
      state_.volume_waits.note(pod, state_.cluster.room().volumes());
      const std::string key = policy::key_of(pod);
      Waiting* member = state_.waiting.find(key, pod.uid);
      if (member == nullptr) continue;
      member->node.clear();
      const bool changes = !pod.nominated_node.empty();
      if (changes && !options_.dry_run) nominations_.assume(pod, "");
      reports_.tell_unplaced(key, *member, pod, kUnschedulable, verdict.message,
                             changes ? std::optional<std::string>("") : std::nullopt);
    }
  }
  turns_.park(id, gang, verdict.result, verdict.message.full(), verdict.next_look);
}

RemovalRequest GangPlacer::preempt_for(const std::string& id, Waiting& gang,
                                       const Verdict& verdict) {
  const GroupSchedulingDecision& decision = verdict.decision;
  turns_.act(gang, TurnResult::Preempts, verdict.message.full());
  std::vector<Pod> victims = victims_of(decision);
  gang.nodes = nodes_of(decision);
  std::chrono::seconds longest{0};
  for (const Pod& each : victims) {
    longest = std::max(longest, std::chrono::seconds(each.termination_grace_seconds));
    gang.nodes.insert(each.node);
  }
  const OwnerEvent note{.words = PodText("Removing ") + victims_in_words(decision) +
                                 " makes room for " + std::to_string(decision.placements.size()) +
                                 " of its pods",
                        .reason = EventReason::Preempting,
                        .joint = ", expected by ",
                        .time = state_.now.wall + longest};
  Preemptor preemptor = preemptor_of(id, gang);
  for (const policy::MemberPlacement& each : decision.placements) {
    const auto pod = state_.cluster.snapshot().pod(each.pod);
    if (!pod) continue;
    preemptor.members.push_back(victim_of(*pod));
    nominations_.assume(*pod, each.node);
  }
  return {.preemptor = std::move(preemptor),
          .victims = std::move(victims),
          .terms = {.budget_violations = decision.budget_violations,
                    .note = in_full(note),
                    .message = verdict.message}};
}

}  // namespace elbowroom::scheduler
