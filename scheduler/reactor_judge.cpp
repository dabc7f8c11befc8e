// The reactor's part that decides about one Deferred pod.
#include <algorithm>
#include <utility>

#include "base/seeded_bug.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"
#include "policy/preemption/preemption_messages.h"
#include "scheduler/reactor.h"
#include "scheduler/room_expected.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;
using policy::PreemptionOutcome;

// Two preemptors for one pod are a defect: whoever else preempts for resizes has the first turn.
constexpr Reactor::Time kOthersTurn{30'000};

constexpr Reactor::Time kFitsForLong{120'000};

// Whoever was promised room knows why it fits, and a node needs a moment to see it.
constexpr Reactor::Time kNodeNeeds{10'000};

// After room was expected: it is to be told that it is late.
constexpr Reactor::Time kLate{5'000};

const Pod* find_pod(const cluster::NodeView& view, std::string_view uid) {
  const auto at = std::ranges::find(view.pods, uid, &Pod::uid);
  return at == view.pods.end() ? nullptr : &*at;
}

// The namespace whose people read what is said of the pod; "": not known.
std::string_view reader_of(const cluster::NodeView& view, std::string_view uid) {
  const Pod* pod = find_pod(view, uid);
  return pod == nullptr ? std::string_view() : std::string_view(pod->ns);
}

// A pod on its way out that another preemptor may have asked to go.
const Pod* find_foreign_leaving(const cluster::NodeView& view, const Pod& preemptor) {
  const auto at = std::ranges::find_if(view.pods, [&](const Pod& pod) {
    return policy::is_terminating(pod) && policy::holds_room(pod) &&
           !policy::is_marked_for(pod, preemptor);
  });
  return at == view.pods.end() ? nullptr : &*at;
}

std::optional<Reactor::Time> sooner(std::optional<Reactor::Time> a,
                                    std::optional<Reactor::Time> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
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

std::vector<std::string> uids_of(const std::vector<policy::ChosenVictim>& victims) {
  std::vector<std::string> uids;
  for (const policy::ChosenVictim& each : victims) uids.push_back(each.pod->uid);
  return uids;
}

std::string_view namespace_of(std::string_view key) { return key.substr(0, key.find('/')); }

// As the owner of a pod of namespace `reader` is told.
PodText victims_in_words(const policy::ResizePreemption& plan, std::string_view reader) {
  std::vector<PodText> names;
  for (const policy::ChosenVictim& each : plan.victims) {
    names.push_back(policy::name_for_reader(reader, *each.pod));
  }
  return policy::listed_pods(names);
}

}  // namespace

void Reactor::judge_next() {
  offer_slots();
  bool looks_anew = false;
  nodes_looked_at_ = 0;
  for (std::size_t turn = 0; turn < kTurnsAtOnce && nodes_looked_at_ < kNodesAtOnce && may_judge();
       ++turn) {
    const auto popped = queue_.pop();
    if (!popped) return;
    removal_slots_.remove(popped->id);
    // The flush is for what nobody was told of: what was found before does not count.
    const bool is_flush = popped->cause == Queue::Cause::Flush;
    if (is_flush && !std::exchange(looks_anew, true)) refused_signatures_.clear();
    const auto at = waiting_.find(popped->id);
    if (at == waiting_.end()) {
      queue_.remove(popped->id);
      continue;
    }
    if (at->second.is_pending) {
      judge_pending(at->first, at->second);
    } else {
      judge(at->first, at->second);
    }
    const auto judged = waiting_.find(popped->id);
    if (judged == waiting_.end()) continue;
    const bool was_useful = !options_.dry_run && (judged->second.result == TurnResult::Preempts ||
                                                  judged->second.result == TurnResult::Binds);
    if (is_flush && was_useful) ++counts_.useful_flushes;
  }
}

// As many of those that wait for a removal to end as may begin one now.
void Reactor::offer_slots() {
  for (std::size_t slot = removals_.size(); slot < kMostRemovals; ++slot) {
    const auto next = removal_slots_.take();
    if (!next) return;
    queue_.wake_one(*next, cluster::Change::RemovalEnded, now_.since_start);
  }
}

void Reactor::want_slot(const std::string& key, const Waiting& pod) {
  removal_slots_.add(key, pod.priority, pod.since);
}

void Reactor::judge(const std::string& key, Waiting& pod) {
  if (removals_.contains(pod.node)) {
    park(key, pod, TurnResult::Busy, "pods of node " + pod.node + " are being asked to go", {});
    return;
  }
  const auto view = view_of(pod.node);
  if (!view || (!view->contradiction.empty() && !seeded(SeededBug::IgnoresContradiction))) {
    const PodText why = view ? PodText("nobody is removed on node ") + pod.node + ": " +
                                   PodText(view->contradiction, "what its pods hold is not clear")
                             : PodText("node ") + pod.node + " is not known";
    const TurnResult result = view ? TurnResult::Unclear : TurnResult::Unknown;
    tell(key, pod, note_of(result, why, ""));
    park(key, pod, result, why.full(), {});
    return;
  }
  Verdict verdict = decide(pod, *view);
  if (verdict.result == TurnResult::Preempts && !has_slot()) {
    want_slot(key, pod);
    return park(key, pod, TurnResult::Busy, std::string(kManyOthersGo),
                now_.since_start + Queue::kLongestBackoff);
  }
  settle(key, pod, *view, std::move(verdict));
}

// The node with those on their way out whose watch event is still to come, and without those that
// it can never take.
std::optional<cluster::NodeView> Reactor::view_of(const std::string& node) const {
  auto view = snapshot_.view(node);
  if (view && seeded(SeededBug::ChoosesAnew)) {
    for (Pod& pod : view->pods) {
      std::erase_if(pod.conditions,
                    [](const auto& each) { return each.type == policy::kDisruptionTarget; });
    }
  }
  if (view) {
    std::erase_if(view->pods,
                  [&](const Pod& pod) { return policy::never_fits(view->node, pod).has_value(); });
  }
  if (!view || assumed_.empty()) return view;
  for (Pod& pod : view->pods) {
    const auto assumed = assumed_.find(policy::key_of(pod));
    if (assumed == assumed_.end() || assumed->second.uid != pod.uid || pod.deletion) continue;
    pod.deletion = now_.wall + std::chrono::seconds(pod.termination_grace_seconds);
    pod.deletion_grace_seconds = pod.termination_grace_seconds;
  }
  return view;
}

policy::ResizePreemption Reactor::plan_for(const Waiting& pod, const cluster::NodeView& view,
                                           const policy::OverduePods& lapsed) const {
  const policy::Unremovable unremovable = refusals_.on(pod.node, now_.since_start);
  return policy::plan_resize_preemption(moment_of(pod, view, lapsed, unremovable), pod.uid);
}

// The node as it is for that pod's turn; all of these must live as long.
policy::NodeMoment Reactor::moment_of(const Waiting& pod, const cluster::NodeView& view,
                                      const policy::OverduePods& lapsed,
                                      const policy::Unremovable& unremovable) const {
  const bool is_nodes_turn = now_.since_start - pod.since < kOthersTurn;
  return {.node = view.node,
          .pods = view.pods,
          .nominated = view.nominated,
          .budgets = view.budgets,
          .lapsed = lapsed,
          .rules = options_.rules,
          .critical_by_node = view.node.critical_preemption_by_node && is_nodes_turn,
          .now = server_time(),
          .unremovable = &unremovable};
}

// When a hard budget has forgotten enough, on the reactor's clock; never sooner than in a second,
// whatever becomes of the server's.
std::optional<Reactor::Time> Reactor::budgets_allow_at(const policy::Budgets& budgets) const {
  const policy::Time now = server_time();
  const auto allowed = policy::next_allowed_time(budgets, now);
  if (!allowed) return std::nullopt;
  const Time wait = std::chrono::ceil<Time>(*allowed - now);
  return now_.since_start + std::max(wait, Time(1000));
}

bool Reactor::yields_to(const Pod& pod) const {
  if (seeded(SeededBug::IgnoresYield)) return false;
  if (options_.yield_to) return options_.yield_to->contains(pod.scheduler_name);
  return keeps_policy_field_.value_or(true) && pod.scheduler_name == "default-scheduler";
}

Reactor::Verdict Reactor::decide(const Waiting& pod, const cluster::NodeView& view) const {
  const policy::OverduePods lapsed = clock_.lapsed(view.pods, now_.since_start);
  policy::ResizePreemption plan = plan_for(pod, view, lapsed);
  if (plan.outcome == PreemptionOutcome::Preempt) {
    return preempt_or_wait(pod, view, std::move(plan));
  }
  Verdict verdict{.result = result_of(plan.outcome), .message = plan.message};
  verdict.next_look =
      sooner(clock_.next(view.pods, now_.since_start), refusals_.next(pod.node, now_.since_start));
  if (verdict.result == TurnResult::NoVictims) {
    const auto refused_until = refusals_.next(pod.node, now_.since_start);
    verdict.message += refused_in_words(pod.node, reader_of(view, pod.uid));
    verdict.until = sooner(refused_until, budgets_allow_at(view.budgets));
    verdict.next_look = sooner(verdict.next_look, verdict.until);
  }
  if (verdict.result == TurnResult::Fits && !pod.said_fits) {
    const Time since = pod.fits_since.value_or(now_.since_start);
    const bool is_early = pod.said.is_promise && now_.since_start < since + kNodeNeeds;
    verdict.next_look = sooner(verdict.next_look, since + (is_early ? kNodeNeeds : kFitsForLong));
  }
  return verdict;
}

// Who of the node cannot go because the API server said no; "" for nobody.
PodText Reactor::refused_in_words(const std::string& node, std::string_view reader) const {
  const std::vector<RefusedRemovals::Refused> refused = refusals_.told(node, now_.since_start);
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

// Somebody would have to go: is it our turn, and not too often?
Reactor::Verdict Reactor::preempt_or_wait(const Waiting& pod, const cluster::NodeView& view,
                                          policy::ResizePreemption plan) const {
  const Pod* preemptor = find_pod(view, pod.uid);
  // Upstream's rules choose pods that are on their way out like others: nobody is asked twice.
  std::erase_if(plan.victims,
                [](const policy::ChosenVictim& each) { return policy::is_terminating(*each.pod); });
  if (plan.victims.empty()) {
    return {.result = TurnResult::Awaits,
            .message = "all who have to go are on their way out",
            .next_look = clock_.next(view.pods, now_.since_start)};
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
  for (const policy::ChosenVictim& each : plan.victims) {
    const std::string key = policy::key_of(*each.pod);
    if (!is_being_cleared(key)) continue;
    return {.result = TurnResult::Busy,
            .message = "an earlier mark of pod " + key + " is being taken back",
            .next_look = now_.since_start + Queue::kFirstBackoff};
  }
  PodText message = plan.message;
  return {.result = TurnResult::Preempts, .message = std::move(message), .plan = std::move(plan)};
}

// Another scheduler may make room for that pod, and it is not our turn yet.
std::optional<Reactor::Verdict> Reactor::yields(const Waiting& pod, const Pod& preemptor,
                                                const cluster::NodeView& view,
                                                std::string_view reader) const {
  if (!yields_to(preemptor)) return std::nullopt;
  // A pod that asks for another size again and again is not yielded for ever.
  const Time yielded = pod.deferred_since + kOthersTurn;
  if (now_.since_start < yielded) {
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
                 .next_look = clock_.next(view.pods, now_.since_start),
                 .until = clock_.next({leaving, 1}, now_.since_start)};
}

// One that comes before it gets room from others, and whom they choose nobody knows: a set that
// counts on those would be chosen in vain.
std::optional<Reactor::Verdict> Reactor::yields_for_one_before(
    const Waiting& pod, const cluster::NodeView& view) const {
  const bool is_for_nobody = std::ranges::none_of(view.pods, [&](const Pod& each) {
    return each.uid != pod.uid && policy::is_deferred(each) && yields_to(each);
  });
  if (is_for_nobody || options_.rules == policy::RuleSet::Upstream) return std::nullopt;
  const policy::OverduePods lapsed = clock_.lapsed(view.pods, now_.since_start);
  const policy::Unremovable unremovable = refusals_.on(pod.node, now_.since_start);
  const policy::NodeMoment moment = moment_of(pod, view, lapsed, unremovable);
  for (const policy::PlannedResize& each : policy::plan_resize_preemptions(moment)) {
    if (each.pod->uid == pod.uid) break;
    const auto waits = waiting_.find(policy::key_of(*each.pod));
    if (each.plan.outcome != policy::PreemptionOutcome::Preempt || waits == waiting_.end()) {
      continue;
    }
    const std::string_view reader = reader_of(view, pod.uid);
    auto verdict = yields(waits->second, *each.pod, view, reader);
    if (!verdict) continue;
    verdict->message = PodText("pod ") + policy::name_for_reader(reader, *each.pod) +
                       " comes first, and " + verdict->message;
    return verdict;
  }
  return std::nullopt;
}

std::optional<Reactor::Verdict> Reactor::held_up_by_breaker(
    const Waiting& pod, const cluster::NodeView& view, const policy::ResizePreemption& plan) const {
  const auto window =
      std::chrono::duration_cast<std::chrono::minutes>(options_.breaker.window).count();
  const auto times = [&](std::size_t count, std::string_view of) {
    return std::to_string(count) + std::string(of) + std::to_string(window) + " minutes";
  };
  const auto room_fails = clock_.next(view.pods, now_.since_start);
  const PodText removing = PodText("removing ") + victims_in_words(plan, reader_of(view, pod.uid));
  if (!breaker_store_.trouble().empty()) {
    return Verdict{.result = TurnResult::Broken,
                   .message = removing + " has to wait: " + not_kept_in_words(),
                   .next_look = now_.since_start + Queue::kLongestBackoff};
  }
  const auto allowed =
      breaker_.allowed_at(pod.uid, pod.node, uids_of(plan.victims), now_.since_start);
  if (!allowed) {
    return Verdict{.result = TurnResult::TooMany,
                   .message = removing + " would be " + std::to_string(plan.victims.size()) +
                              " pods at once, and the node may lose at most " +
                              times(options_.breaker.pods_per_node, " in ") + " (podsPerNode)",
                   .next_look = room_fails};
  }
  const Time at = allowed->at();
  if (at == now_.since_start) return std::nullopt;
  const std::string limit =
      allowed->for_pod == at ? times(options_.breaker.sets_per_pod, " times in ") + " for one pod"
                             : times(options_.breaker.pods_per_node, " pods of the node in ");
  return Verdict{.result = TurnResult::Broken,
                 .message = removing + " would be more than " + limit,
                 // Room on its way may fail to come before that, which is another reason to wait.
                 .next_look = sooner(at, room_fails),
                 .until = at};
}

void Reactor::settle(const std::string& key, Waiting& pod, const cluster::NodeView& view,
                     Verdict verdict) {
  if (verdict.result == TurnResult::Fits) {
    note_fit(key, pod, view);
  } else {
    pod.fits_since.reset();
    pod.said_fits = false;
  }
  OwnerEvent note =
      note_of(verdict.result, verdict.message, victims_in_words(verdict.plan, namespace_of(key)));
  note.time = told_time(pod, view, verdict);
  const bool goes = verdict.result == TurnResult::Preempts && !options_.dry_run;
  if (!goes) {
    const bool is_early = verdict.result == TurnResult::Fits && pod.said.is_promise &&
                          now_.since_start < *pod.fits_since + kNodeNeeds;
    // In a dry run nobody goes, and room would always be as far off.
    if (verdict.result == TurnResult::Preempts) note.time_matters = false;
    if (!is_early) tell(key, pod, note);
    if (verdict.result == TurnResult::Awaits && note.time) {
      verdict.next_look =
          sooner(verdict.next_look, std::max(since_start_of(*note.time), now_.since_start) + kLate);
    }
    return park(key, pod, verdict.result, verdict.message.full(), verdict.next_look);
  }
  // That pods are removed is said when they are.
  pod.said = said_by(note);
  ++counts_.turns[static_cast<std::size_t>(verdict.result)];
  pod.result = verdict.result;
  pod.message = verdict.message.full();
  pod.next_look.reset();
  std::vector<Pod> victims;
  for (const policy::ChosenVictim& each : verdict.plan.victims) victims.push_back(*each.pod);
  begin_removal(key, pod, std::move(victims),
                {.budget_violations = verdict.plan.budget_violations, .note = in_full(note)});
}

// For people: when its room is expected, or until when it waits.
std::optional<policy::Time> Reactor::told_time(const Waiting& pod, const cluster::NodeView& view,
                                               const Verdict& verdict) const {
  const Pod* waits = find_pod(view, pod.uid);
  const bool is_expected =
      verdict.result == TurnResult::Preempts || verdict.result == TurnResult::Awaits;
  if (!is_expected || waits == nullptr) {
    return verdict.until ? std::optional(wall_of(*verdict.until)) : std::nullopt;
  }
  std::vector<PendingRoom> coming;
  for (const policy::ChosenVictim& each : verdict.plan.victims) {
    coming.push_back(
        {each.pod->uid, now_.wall + std::chrono::seconds(each.pod->termination_grace_seconds), {}});
  }
  for (const Pod& each : view.pods) {
    if (each.deletion && policy::holds_room(each)) {
      // Past its deadline it is believed in for a while still, and then not any more.
      const auto believed = clock_.next({&each, 1}, now_.since_start);
      if (*each.deletion > now_.wall) {
        coming.push_back({each.uid, *each.deletion, {}});
      } else if (believed) {
        coming.push_back({each.uid, wall_of(*believed), {}});
      }
    } else if (const auto by = clock_.shrinks_by(each, now_.since_start)) {
      const policy::OverduePods none;
      coming.push_back({each.uid, wall_of(*by),
                        policy::charge_after_shrinks(each, policy::totals_of(each), none)});
    }
  }
  return room_expected_by(view.node, view.pods, *waits, std::move(coming));
}

Said Reactor::said_by(const OwnerEvent& note) const {
  return {.words = note.words.on_pod(),
          .time = note.time ? std::optional(since_start_of(*note.time)) : std::nullopt,
          .time_matters = note.time_matters,
          .is_promise = note.is_promise};
}

// The owner, once for each news.
void Reactor::tell(const std::string& key, Waiting& pod, const OwnerEvent& note) {
  Said now = said_by(note);
  if (note.words.empty() || !is_news(pod.said, now)) return;
  pod.said = std::move(now);
  say(named({.key = key, .uid = pod.uid}), note.reason, in_full(note));
}

void Reactor::park(const std::string& key, Waiting& pod, TurnResult result, std::string message,
                   std::optional<Time> next_look) {
  ++counts_.turns[static_cast<std::size_t>(result)];
  pod.result = result;
  pod.message = std::move(message);
  if (seeded(SeededBug::NeverLooksAgain)) next_look.reset();
  pod.next_look = next_look;
  doubt_marks_on(pod.node);
  doubt_marks_for(pod);
  rest(key, pod, result, next_look);
}

// Until something could change that result.
void Reactor::rest(const std::string& key, const Waiting& pod, TurnResult result,
                   std::optional<Time> next_look) {
  const ResultRow& row = row_of(result);
  if (!pod.is_pending) return queue_.park(key, row.requeue_hints, next_look, now_.since_start);
  queue_.park(key,
              Queue::Wish{.node = pod.node,
                          .there = row.requeue_hints,
                          .anywhere = anywhere_for(row, pod.looks_around),
                          .deadline = next_look},
              now_.since_start);
}

// It fits, and the node does not see it so: after two minutes both sums are shown.
void Reactor::note_fit(const std::string& key, Waiting& pod, const cluster::NodeView& view) {
  if (!pod.fits_since) pod.fits_since = now_.since_start;
  if (pod.said_fits || now_.since_start - *pod.fits_since < kFitsForLong) return;
  const Pod* waits = find_pod(view, pod.uid);
  if (waits == nullptr) return;
  pod.said_fits = true;
  ++counts_.disagreements;
  policy::Resources others;
  for (const Pod& each : view.pods) {
    if (each.uid != pod.uid && policy::holds_room(each)) {
      policy::add_to(others, policy::held_charge(each));
    }
  }
  const policy::Condition* pending =
      policy::find_condition(waits->conditions, policy::kPodResizePending);
  say(victim_of(*waits), EventReason::FailedScheduling,
      "The resize of " + key + " fits for two minutes by our sums (it asks for " +
          policy::in_words(policy::resizing_charge(*waits)) + ", others hold " +
          policy::in_words(others) + " of " + policy::in_words(view.node.allocatable) +
          "), and the node still says: " +
          (pending == nullptr || pending->message.empty() ? "nothing" : pending->message));
}

}  // namespace elbowroom::scheduler
