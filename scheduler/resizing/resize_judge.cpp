#include "scheduler/resizing/resize_judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/model/charge.h"
#include "policy/preemption/node_groups.h"
#include "policy/preemption/preemption_messages.h"
#include "policy/preemption/removed_groups.h"
#include "scheduler/resizing/room_expected.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;
using policy::PreemptionOutcome;

// Two preemptors for one pod are a defect: another scheduler that preempts for resizes has the
// first turn.
constexpr ResizeJudge::Time kOthersTurn{30'000};

constexpr ResizeJudge::Time kFitsForLong{120'000};

// An owner who was told that room will be made learns why the resize fits, and a node needs a
// moment to see it.
constexpr ResizeJudge::Time kNodeNeeds{10'000};

// After room was expected, an event tells the owner that it is late.
constexpr ResizeJudge::Time kLate{5'000};

const Pod* find_pod(const cluster::NodeView& view, std::string_view uid) {
  const auto at = std::ranges::find(view.pods, uid, &Pod::uid);
  return at == view.pods.end() ? nullptr : &*at;
}

// The namespace of the people who read the pod's events; "": not known.
std::string_view reader_of(const cluster::NodeView& view, std::string_view uid) {
  const Pod* pod = find_pod(view, uid);
  return pod == nullptr ? std::string_view() : std::string_view(pod->ns);
}

// A terminating pod that another preemptor may have removed.
const Pod* find_foreign_leaving(const cluster::NodeView& view, const Pod& preemptor) {
  const auto at = std::ranges::find_if(view.pods, [&](const Pod& pod) {
    return policy::is_terminating(pod) && policy::holds_room(pod) &&
           !policy::is_marked_for(pod, preemptor);
  });
  return at == view.pods.end() ? nullptr : &*at;
}

// A pod of another node, which would have to go with its group, may not go now. Nothing that
// happens there wakes a resize here.
bool is_kept_elsewhere(const cluster::NodeView& view, const policy::Unremovable& unremovable) {
  return std::ranges::any_of(view.elsewhere,
                             [&](const Pod& each) { return unremovable.contains(each.uid); });
}

TurnResult result_of(PreemptionOutcome outcome) {
  switch (outcome) {
    case PreemptionOutcome::NotNeeded:
      return TurnResult::Fits;
    case PreemptionOutcome::Preempt:
      return TurnResult::Preempts;
    case PreemptionOutcome::AwaitingVictims:
      return TurnResult::Awaits;
    case PreemptionOutcome::Disabled:
      return TurnResult::Disabled;
    case PreemptionOutcome::PolicyNever:
      return TurnResult::PolicyNever;
    case PreemptionOutcome::NoVictims:
      return TurnResult::NoVictims;
  }
  return TurnResult::Unknown;
}

std::string_view namespace_of(std::string_view key) { return key.substr(0, key.find('/')); }

// For the owner of a pod of namespace `reader`.
PodText victims_in_words(const policy::ResizePreemption& plan, std::string_view reader) {
  std::vector<PodText> names;
  for (const policy::ChosenVictim& each : plan.victims) {
    names.push_back(policy::name_for_reader(reader, *each.pod));
  }
  return policy::listed_pods(names);
}

}  // namespace

// ---- the turn ----

std::optional<RemovalRequest> ResizeJudge::judge(const std::string& key, Waiting& pod) {
  if (state_.removals.is_on(pod.node)) {
    turns_.park(key, pod, TurnResult::Busy, removing_on(pod.node), {});
    return std::nullopt;
  }
  const auto view = state_.cluster.view_of(pod.node, state_.clocks());
  if (!view || !view->contradiction.empty()) {
    const PodText why = view ? PodText("nobody is removed on node ") + pod.node + ": " +
                                   PodText(view->contradiction, "what its pods hold is not clear")
                             : PodText("node ") + pod.node + " is not known";
    const TurnResult result = view ? TurnResult::Unclear : TurnResult::Unknown;
    turns_.tell(key, pod, note_of(result, why, ""));
    turns_.park(key, pod, result, why.full(), {});
    return std::nullopt;
  }
  Verdict verdict = decide(pod, *view);
  if (verdict.result == TurnResult::Preempts && !state_.has_removal_slot()) {
    turns_.want_slot(key, pod);
    turns_.park(key, pod, TurnResult::Busy, std::string(kManyRemovals),
                now() + Queue::kLongestBackoff);
    return std::nullopt;
  }
  return settle(key, pod, *view, std::move(verdict));
}

// ---- the decision ----

// The node as it is for that pod's turn. The arguments must outlive the result.
policy::NodeMoment ResizeJudge::moment_of(const Waiting& pod, const cluster::NodeView& view,
                                          const policy::OverduePods& lapsed,
                                          const policy::Unremovable& unremovable) const {
  const bool is_nodes_turn = now() - pod.since < kOthersTurn;
  return {.node = view.node,
          .pods = view.pods,
          .nominated = view.nominated,
          .budgets = view.budgets,
          .lapsed = lapsed,
          .rules = options_.rules,
          .critical_by_node = view.node.critical_preemption_by_node && is_nodes_turn,
          .now = state_.server_time(),
          .unremovable = &unremovable,
          .elsewhere = view.elsewhere};
}

// Also the pods on other nodes that would have to go with pods of this one.
policy::Unremovable ResizeJudge::unremovable_for(const Waiting& pod,
                                                 const cluster::NodeView& view) const {
  policy::Unremovable all = refusals().on(pod.node, now());
  std::set<std::string> nodes;
  for (const Pod& each : view.elsewhere) nodes.insert(each.node);
  const cluster::Snapshot& snapshot = state_.cluster.snapshot();
  const auto unclear = snapshot.unclear_nodes();
  for (const std::string& name : nodes) {
    all.merge(refusals().on(name, now()));
    const std::vector<Pod> pods = snapshot.pods_of(name);
    if (const policy::Node* node = snapshot.node(name)) {
      policy::note_stuck(*node, pods, deadlines().lapsed(pods, now()), all);
    }
    const auto why = unclear.find(name);
    const Removal* removal = state_.removals.on(name);
    const bool is_busy = removal != nullptr && removal->set.preemptor().uid != pod.uid;
    if (why == unclear.end() && !is_busy) continue;
    for (const Pod& each : pods) {
      all.try_emplace(each.uid,
                      is_busy ? removing_on(name) : "on node " + name + ": " + why->second);
    }
  }
  return all;
}

bool ResizeJudge::yields_to(const Pod& pod) const {
  if (options_.yield_to) return options_.yield_to->contains(pod.scheduler_name);
  // It is that scheduler itself.
  if (options_.places_for.contains(pod.scheduler_name)) return false;
  return state_.keeps_policy_field.value_or(true) && pod.scheduler_name == "default-scheduler";
}

ResizeVerdict ResizeJudge::decide(const Waiting& pod, const cluster::NodeView& view) const {
  const policy::OverduePods lapsed = deadlines().lapsed(view.pods, now());
  const policy::Unremovable unremovable = unremovable_for(pod, view);
  policy::ResizePreemption plan =
      policy::plan_resize_preemption(moment_of(pod, view, lapsed, unremovable), pod.uid);
  if (plan.outcome == PreemptionOutcome::Preempt) {
    return preempt_or_wait(pod, view, std::move(plan));
  }
  // It is to go for a pod before it, unless that one gets its room from another scheduler.
  if (plan.outcome == PreemptionOutcome::NoVictims && plan.by == policy::RoomMaker::Nobody) {
    if (auto waits = yields_for_one_before(pod, view)) return *std::move(waits);
  }
  Verdict verdict{.result = result_of(plan.outcome), .message = plan.message};
  verdict.next_look = sooner(deadlines().next(view.pods, now()), refusals().next(pod.node, now()));
  if (verdict.result == TurnResult::NoVictims) {
    const auto refused_until = refusals().next(pod.node, now());
    verdict.message += refused_in_words(pod.node, reader_of(view, pod.uid));
    verdict.until = sooner(refused_until, ClusterState::allowed_at(view.budgets, state_.clocks()));
    verdict.next_look = sooner(verdict.next_look, verdict.until);
    if (is_kept_elsewhere(view, unremovable)) {
      verdict.next_look = sooner(verdict.next_look, now() + Queue::kLongestBackoff);
    }
  }
  if (verdict.result == TurnResult::Fits && !pod.said_fits) {
    const Time since = pod.fits_since.value_or(now());
    const bool is_early = pod.said.expects_room && now() < since + kNodeNeeds;
    verdict.next_look = sooner(verdict.next_look, since + (is_early ? kNodeNeeds : kFitsForLong));
  }
  return verdict;
}

// The pods of the node whose removal the API server refuses, in words; "": there are none.
PodText ResizeJudge::refused_in_words(const std::string& node, std::string_view reader) const {
  const std::vector<RefusedRemovals::Refused> refused = refusals().told(node, now());
  if (refused.empty()) return {};
  std::vector<PodText> names;
  for (const RefusedRemovals::Refused& each : refused) {
    names.push_back(policy::name_for_reader(reader, each.key, each.uid));
  }
  // What the server says of a pod may name it.
  const RefusedRemovals::Refused& first = refused.front();
  const std::string why = ": " + first.why;
  return PodText("; the API server refused to remove ") + policy::listed_pods(names) +
         PodText(why, namespace_of(first.key) == reader ? why : "");
}

// Pods would have to be removed: it must be our turn, and not happen too often.
ResizeVerdict ResizeJudge::preempt_or_wait(const Waiting& pod, const cluster::NodeView& view,
                                           policy::ResizePreemption plan) const {
  const Pod* preemptor = find_pod(view, pod.uid);
  // Upstream's rules choose terminating pods like others; no pod is removed twice.
  std::erase_if(plan.victims,
                [](const policy::ChosenVictim& each) { return policy::is_terminating(*each.pod); });
  if (plan.victims.empty()) {
    return {.result = TurnResult::Awaits,
            .message = "all who have to go are on their way out",
            .next_look = deadlines().next(view.pods, now())};
  }
  const Time others_turn_ends = pod.since + kOthersTurn;
  if (plan.by == policy::RoomMaker::Node) {
    return {.result = TurnResult::NodesTurn,
            .message = "node " + pod.node + " makes room for its critical pods itself",
            .next_look = others_turn_ends,
            .until = others_turn_ends};
  }
  if (preemptor != nullptr) {
    if (auto waits = yields(pod, *preemptor, view, preemptor->ns)) return *std::move(waits);
  }
  if (auto waits = yields_for_one_before(pod, view)) return *std::move(waits);
  if (auto held_up = held_up_by_breaker(pod, view, plan)) return *std::move(held_up);
  if (auto waits = waits_for_mark(plan)) return *std::move(waits);
  PodText message = plan.message;
  return {.result = TurnResult::Preempts, .message = std::move(message), .plan = std::move(plan)};
}

// The removal of an earlier mark would take the mark of this set with it.
std::optional<ResizeVerdict> ResizeJudge::waits_for_mark(
    const policy::ResizePreemption& plan) const {
  for (const policy::ChosenVictim& each : plan.victims) {
    const std::string key = policy::key_of(*each.pod);
    if (!state_.is_clearing_mark_of(key)) continue;
    return Verdict{.result = TurnResult::Busy,
                   .message = "an earlier mark of pod " + key + " is being taken back",
                   .next_look = now() + Queue::kFirstBackoff};
  }
  return std::nullopt;
}

// Another scheduler may make room for that pod, and it is not our turn yet.
std::optional<ResizeVerdict> ResizeJudge::yields(const Waiting& pod, const Pod& preemptor,
                                                 const cluster::NodeView& view,
                                                 std::string_view reader) const {
  if (!yields_to(preemptor)) return std::nullopt;
  // A pod that asks for another size again and again is not left to it forever.
  const Time yielded = pod.deferred_since + kOthersTurn;
  if (now() < yielded) {
    return Verdict{
        .result = TurnResult::Yields,
        .message = preemptor.scheduler_name + " may make room itself and has the first turn",
        .next_look = yielded,
        .until = yielded};
  }
  const Pod* leaving = find_foreign_leaving(view, preemptor);
  if (leaving == nullptr) return std::nullopt;
  return Verdict{.result = TurnResult::Yields,
                 .message = PodText(preemptor.scheduler_name) + " may make room itself, and pod " +
                            policy::name_for_reader(reader, *leaving) + " is on its way out",
                 .next_look = deadlines().next(view.pods, now()),
                 .until = deadlines().next({leaving, 1}, now())};
}

// A more important resize gets its room from another scheduler, whose victims are not known: a set
// that counts on them would be chosen in vain.
std::optional<ResizeVerdict> ResizeJudge::yields_for_one_before(
    const Waiting& pod, const cluster::NodeView& view) const {
  const bool is_alone = std::ranges::none_of(view.pods, [&](const Pod& each) {
    return each.uid != pod.uid && policy::is_deferred(each) && yields_to(each);
  });
  if (is_alone || options_.rules == policy::RuleSet::Upstream) return std::nullopt;
  const policy::OverduePods lapsed = deadlines().lapsed(view.pods, now());
  const policy::Unremovable unremovable = unremovable_for(pod, view);
  const policy::NodeMoment moment = moment_of(pod, view, lapsed, unremovable);
  for (const policy::PlannedResize& each : policy::plan_resize_preemptions(moment)) {
    if (each.pod->uid == pod.uid) break;
    const Waiting* waits = state_.waiting.find(policy::key_of(*each.pod));
    if (each.plan.outcome != policy::PreemptionOutcome::Preempt || waits == nullptr) continue;
    const std::string_view reader = reader_of(view, pod.uid);
    auto verdict = yields(*waits, *each.pod, view, reader);
    if (!verdict) continue;
    verdict->message = PodText("pod ") + policy::name_for_reader(reader, *each.pod) +
                       " comes first, and " + verdict->message;
    return verdict;
  }
  return std::nullopt;
}

std::optional<ResizeVerdict> ResizeJudge::held_up_by_breaker(
    const Waiting& pod, const cluster::NodeView& view, const policy::ResizePreemption& plan) const {
  const auto window =
      std::chrono::duration_cast<std::chrono::minutes>(options_.breaker.window).count();
  const auto times = [&](std::size_t count, std::string_view of) {
    return std::to_string(count) + std::string(of) + std::to_string(window) + " minutes";
  };
  const auto room_fails = deadlines().next(view.pods, now());
  const PodText removing = PodText("removing ") + victims_in_words(plan, reader_of(view, pod.uid));
  if (!state_.breaker_store.trouble().empty()) {
    return Verdict{.result = TurnResult::Broken,
                   .message = removing + " has to wait: " + not_kept_in_words(state_.breaker_store),
                   .next_look = now() + Queue::kLongestBackoff};
  }
  std::map<std::string, std::set<std::string>> by_node;
  for (const policy::ChosenVictim& each : plan.victims) {
    by_node[each.pod->node].insert(counted_uid(*each.pod));
  }
  std::optional<CircuitBreaker::Answer> allowed = CircuitBreaker::Answer{now(), now()};
  for (const auto& [node, uids] : by_node) {
    const std::vector<std::string> counted(uids.begin(), uids.end());
    const auto there =
        state_.breaker.allowed_at(pod.uid, state_.counted_node(node), counted, now());
    if (!there) allowed.reset();
    if (!allowed) break;
    if (there->at() > allowed->at()) allowed = there;
  }
  if (!allowed) {
    return Verdict{.result = TurnResult::TooMany,
                   .message = removing + " would be " + std::to_string(plan.victims.size()) +
                              " pods at once, and the node may lose at most " +
                              times(options_.breaker.pods_per_node, " in ") + " (podsPerNode)",
                   .next_look = room_fails};
  }
  const Time at = allowed->at();
  if (at == now()) return std::nullopt;
  const std::string limit =
      allowed->for_pod == at ? times(options_.breaker.sets_per_pod, " times in ") + " for one pod"
                             : times(options_.breaker.pods_per_node, " pods of the node in ");
  return Verdict{.result = TurnResult::Broken,
                 .message = removing + " would be more than " + limit,
                 // Room on its way may fail to come before that, which is another reason to wait.
                 .next_look = sooner(at, room_fails),
                 .until = at};
}

// What the removal means for pod groups, for the owner of a pod of namespace `reader`.
PodText ResizeJudge::groups_in_words(const policy::ResizePreemption& plan,
                                     std::string_view reader) const {
  std::set<std::string> gangs;
  for (const policy::ChosenVictim& each : plan.victims) {
    if (each.pod->group && each.pod->group->is_gang())
      gangs.insert(policy::group_key_of(*each.pod));
  }
  policy::RunningMembers running;
  for (const std::string& key : gangs) {
    policy::count_running(state_.cluster.snapshot().members_of(key), running);
  }
  return policy::removed_groups_in_words(policy::whole_groups(plan.victims),
                                         policy::depleted_gangs(plan.victims, running), reader);
}

// ---- what follows from it ----

std::optional<RemovalRequest> ResizeJudge::settle(const std::string& key, Waiting& pod,
                                                  const cluster::NodeView& view, Verdict verdict) {
  if (verdict.result == TurnResult::Fits) {
    note_fit(key, pod, view);
  } else {
    pod.fits_since.reset();
    pod.said_fits = false;
  }
  OwnerEvent note =
      note_of(verdict.result, verdict.message, victims_in_words(verdict.plan, namespace_of(key)));
  note.time = told_time(pod, view, verdict);
  note.more = groups_in_words(verdict.plan, namespace_of(key));
  if (verdict.result != TurnResult::Preempts || options_.dry_run) {
    settle_waiting(key, pod, std::move(note), std::move(verdict));
    return std::nullopt;
  }
  // That pods are removed is said when they are.
  pod.said = turns_.said_by(note);
  turns_.act(pod, verdict.result, verdict.message.full());
  RemovalRequest request{
      .preemptor = preemptor_of(key, pod),
      .terms = {.budget_violations = verdict.plan.budget_violations, .note = in_full(note)}};
  for (const policy::ChosenVictim& each : verdict.plan.victims) {
    request.victims.push_back(*each.pod);
  }
  return request;
}

// No pod is removed now.
void ResizeJudge::settle_waiting(const std::string& key, Waiting& pod, OwnerEvent note,
                                 Verdict verdict) {
  const bool is_early = verdict.result == TurnResult::Fits && pod.said.expects_room &&
                        now() < *pod.fits_since + kNodeNeeds;
  // In a dry run no pod is removed, and room would always be as far off.
  if (verdict.result == TurnResult::Preempts) note.time_matters = false;
  if (!is_early) turns_.tell(key, pod, note);
  if (verdict.result == TurnResult::Awaits && note.time) {
    const Time expected = std::max(state_.since_start_of(*note.time), now());
    verdict.next_look = sooner(verdict.next_look, expected + kLate);
  }
  turns_.park(key, pod, verdict.result, verdict.message.full(), verdict.next_look);
}

// When its room is expected, or until when it waits; for people.
std::optional<policy::Time> ResizeJudge::told_time(const Waiting& pod,
                                                   const cluster::NodeView& view,
                                                   const Verdict& verdict) const {
  const Pod* waits = find_pod(view, pod.uid);
  const bool is_expected =
      verdict.result == TurnResult::Preempts || verdict.result == TurnResult::Awaits;
  if (!is_expected || waits == nullptr) {
    return verdict.until ? std::optional(state_.wall_of(*verdict.until)) : std::nullopt;
  }
  std::vector<PendingRoom> coming;
  for (const policy::ChosenVictim& each : verdict.plan.victims) {
    coming.push_back({each.pod->uid,
                      state_.now.wall + std::chrono::seconds(each.pod->termination_grace_seconds),
                      {}});
  }
  for (const Pod& each : view.pods) {
    if (each.deletion && policy::holds_room(each)) {
      // Past its deadline its room is still relied on for a while.
      const auto relied_until = deadlines().next({&each, 1}, now());
      if (*each.deletion > state_.now.wall) {
        coming.push_back({each.uid, *each.deletion, {}});
      } else if (relied_until) {
        coming.push_back({each.uid, state_.wall_of(*relied_until), {}});
      }
    } else if (const auto by = deadlines().shrinks_by(each, now())) {
      const policy::OverduePods none;
      coming.push_back({each.uid, state_.wall_of(*by),
                        policy::charge_after_shrinks(each, policy::totals_of(each), none)});
    }
  }
  return room_expected_by(view.node, view.pods, *waits, std::move(coming));
}

// It fits, but the node does not see it so: after two minutes both sums are shown.
void ResizeJudge::note_fit(const std::string& key, Waiting& pod, const cluster::NodeView& view) {
  if (!pod.fits_since) pod.fits_since = now();
  if (pod.said_fits || now() - *pod.fits_since < kFitsForLong) return;
  const Pod* waits = find_pod(view, pod.uid);
  if (waits == nullptr) return;
  pod.said_fits = true;
  ++state_.counts.disagreements;
  policy::ChargeSum others;
  others.leave_out(policy::shareable_claims(*waits));
  for (const Pod& each : view.pods) {
    if (each.uid != pod.uid && policy::holds_room(each)) {
      others.add(each, policy::held_charge(each));
    }
  }
  const policy::Condition* pending =
      policy::find_condition(waits->conditions, policy::kPodResizePending);
  turns_.say(victim_of(*waits), EventReason::FailedScheduling,
             "The resize of " + key + " fits for two minutes by our sums (it asks for " +
                 policy::in_words(policy::resizing_charge(*waits)) + ", others hold " +
                 policy::in_words(others.total()) + " of " +
                 policy::in_words(view.node.allocatable) + "), and the node still says: " +
                 (pending == nullptr || pending->message.empty() ? "nothing" : pending->message));
}

}  // namespace elbowroom::scheduler
