// The reactor's part that places pending pods.
#include <algorithm>
#include <set>
#include <utility>

#include "base/backoff.h"
#include "base/seeded_bug.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/preemption_messages.h"
#include "scheduler/pod_signature.h"
#include "scheduler/reactor.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodText;
using policy::SchedulingResult;

// Until what was bound, and is not seen so, is bound once more.
constexpr Reactor::Time kBoundWithin{30'000};

// Nodes that are passed over because of the circuit breaker before the pod waits for it.
constexpr int kMostTries = 8;

constexpr std::size_t kMostAlike = 1'000;

constexpr std::string_view kPodScheduled = "PodScheduled";
constexpr std::string_view kUnschedulable = "Unschedulable";
constexpr std::string_view kSchedulingGated = "SchedulingGated";
constexpr std::string_view kGated = "Scheduling is blocked due to non-empty scheduling gates";

std::optional<Reactor::Time> sooner(std::optional<Reactor::Time> a,
                                    std::optional<Reactor::Time> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// As the owner of that pod is told.
PodText victims_in_words(const policy::SchedulingDecision& decision, const Pod& preemptor) {
  std::vector<PodText> names;
  for (const policy::VictimReport& each : decision.victims) {
    names.push_back(policy::name_for_reader(preemptor.ns, each.pod, each.uid));
  }
  return policy::listed_pods(names);
}

std::vector<std::string> uids_of(const policy::SchedulingDecision& decision) {
  std::vector<std::string> uids;
  for (const policy::VictimReport& each : decision.victims) uids.push_back(each.uid);
  return uids;
}

bool looks_around(const policy::Placement& placement) {
  return !placement.spread.empty() || !placement.required_affinity.empty() ||
         !placement.required_anti_affinity.empty();
}

// The outcome of a binding is not known: it may have been done. After a conflict the watch is
// behind: the pod is bound, by an earlier try perhaps, or was changed.
bool is_unknown(const Error& error) { return !is_refusal(error) && error.code != Code::NotFound; }

}  // namespace

bool Reactor::is_ours(const Pod& pod) const {
  return options_.places_for.contains(pod.scheduler_name);
}

// ---- the room of the cluster, event by event ----

// With those that go and are not seen on their way out yet.
void Reactor::put_in_room(const Pod& pod) {
  const auto assumed = assumed_.find(policy::key_of(pod));
  if (assumed == assumed_.end() || assumed->second.uid != pod.uid || pod.deletion) {
    return room_.add(pod);
  }
  Pod leaving = pod;
  leaving.deletion = now_.wall + std::chrono::seconds(pod.termination_grace_seconds);
  room_.add(leaving);
}

void Reactor::take_out_of_room(const Pod& pod) {
  const auto assumed = assumed_.find(policy::key_of(pod));
  if (assumed == assumed_.end() || assumed->second.uid != pod.uid || pod.deletion) {
    return room_.remove(pod);
  }
  Pod leaving = pod;
  leaving.deletion = now_.wall;
  room_.remove(leaving);
}

// The earlier state was taken out before.
void Reactor::follow_room(const cluster::PodEvent& event) {
  if (event.after) put_in_room(*event.after);
  if (!event.own_budgets.empty()) {
    refresh_budgets(event.after ? event.after->ns : event.before->ns);
  }
  if (!event.before || !event.before->node.empty() || event.before->nominated_node.empty()) return;
  const std::string& promised = event.before->nominated_node;
  const bool stands = event.after && (event.after->node.empty() ? event.after->nominated_node
                                                                : event.after->node) == promised;
  // A promise that ends is room that comes free.
  if (!stands) wake(promised, cluster::Change::Nominated | cluster::Change::PodLeft);
}

// One that was not seen before has failed when it says so, by the API server's clock.
void Reactor::follow_end(const Pod& ended, bool was_seen) {
  const auto said = was_seen ? std::nullopt : AvoidedNodes::turned_out_at(ended);
  const Time age = said ? std::chrono::floor<Time>(server_time() - *said) : Time(0);
  avoided_nodes_.note(ended, now_.since_start - std::max(age, Time(0)), now_.since_start);
}

void Reactor::refresh_budgets(const std::string& ns) {
  const policy::Budgets budgets = snapshot_.budgets_of(ns);
  for (const policy::PodDisruptionBudget& each : budgets.upstream) room_.put(each);
  for (std::size_t i = 0; i < budgets.ours.size(); ++i) {
    room_.put(budgets.ours[i],
              policy::allowed_now(budgets.ours[i], budgets.strengths[i], server_time()));
  }
  if (const auto due = budgets_allow_at(budgets)) {
    budgets_due_.set(ns, *due);
  } else {
    budgets_due_.forget(ns);
  }
}

// ---- a pod's turn ----

void Reactor::judge_pending(const std::string& key, Waiting& pod) {
  if (const std::string node = assume_cache_.bound_to(key, pod.uid); !node.empty()) {
    if (binds_again(key, pod, node)) return;
    // It is judged anew, as the watch shows it now: that may end this Waiting.
    const std::string same = key;
    unbind(same);
    return queue_.park(same, Queue::Wish{.deadline = now_.since_start}, now_.since_start);
  }
  const auto seen = snapshot_.pod(key);
  if (!seen) return park(key, pod, TurnResult::Unknown, "the pod is not known", std::nullopt);
  pod.looks_around = looks_around(seen->placement);
  if (!seen->placement.gates.empty() && !seeded(SeededBug::JudgesGated)) {
    tell_unplaced(key, pod, *seen, kSchedulingGated, std::string(kGated), std::nullopt);
    return park(key, pod, TurnResult::Gated, std::string(kGated), std::nullopt);
  }
  settle_place(key, pod, *seen, decide_place(pod, *seen));
}

// Nobody knows what became of it: it is asked for once more, if the node takes it still. False: it
// does not.
bool Reactor::binds_again(const std::string& key, const Waiting& pod, const std::string& node) {
  const bool is_on_its_way = std::ranges::any_of(in_flight_, [&](const auto& entry) {
    const auto* binding = std::get_if<PodBinding>(&entry.second);
    return binding != nullptr && binding->key == key && binding->uid == pod.uid;
  });
  if (is_on_its_way || seeded(SeededBug::NeverBindsAgain)) {
    queue_.park(key, Queue::Wish{.deadline = now_.since_start + kBoundWithin}, now_.since_start);
    return true;
  }
  if (!assume_cache_.is_bound(key, pod.uid) && !still_takes(key, node)) {
    // Of an unclear node it is not known who else is there.
    const bool is_kept = is_to_go(key, pod.uid, node) || snapshot_.unclear_nodes().contains(node);
    if (!is_kept) return false;
    queue_.park(key,
                Queue::Wish{.node = node,
                            .there = cluster::Change::RemovalEnded | cluster::Change::PodLeft,
                            .deadline = now_.since_start + kBoundWithin},
                now_.since_start);
    return true;
  }
  ++counts_.turns[static_cast<std::size_t>(TurnResult::Binds)];
  send_binding(named({.key = key, .uid = pod.uid}), key, node);
  return true;
}

// For a more important one, which is promised the room that this pod leaves: that is why the node
// takes it no more, and nothing that it may hold there is free before it went.
bool Reactor::is_to_go(const std::string& key, const std::string& uid,
                       const std::string& node) const {
  const auto assumed = assumed_.find(key);
  if (assumed != assumed_.end() && assumed->second.uid == uid) return true;
  const auto removal = removals_.find(node);
  const bool is_victim = removal != removals_.end() &&
                         std::ranges::any_of(removal->second.set.victims(),
                                             [&](const Pod& each) { return each.uid == uid; });
  if (is_victim) return true;
  const auto mark = marks_.find(key);
  return mark != marks_.end() && mark->second.uid == uid && stands(mark->second.mark, node);
}

// As if it were not there yet: beside those who are there and, once all have left who are leaving,
// beside those who are nominated there too. Who was promised room since it was bound was promised
// it beside this pod.
bool Reactor::still_takes(const std::string& key, const std::string& node) {
  const auto placed = snapshot_.pod(key);
  if (!placed) return false;
  take_out_of_room(*placed);
  const bool takes = takes_without(nominated_on(node), *placed, node) &&
                     takes_without(leaving_from(node), *placed, node);
  put_in_room(*placed);
  return takes;
}

bool Reactor::takes_without(const std::vector<Pod>& others, Pod pod, const std::string& node) {
  pod.node.clear();
  policy::ScheduleTerms terms = terms_for(pod);
  terms.all_nodes = true;
  terms.no_victims_on = {"*"};
  for (const Pod& each : others) take_out_of_room(each);
  const policy::SchedulingDecision decision = policy::schedule(room_, pod, terms);
  for (const Pod& each : others) put_in_room(each);
  const auto answer = std::ranges::find(decision.nodes, node, &policy::NodeAnswer::node);
  return answer != decision.nodes.end() && answer->code == policy::NodeCode::Success;
}

std::vector<Pod> Reactor::nominated_on(const std::string& node) const {
  std::vector<Pod> pods;
  const auto number = room_.find_node(node);
  if (!number) return pods;
  for (const policy::RoomHolding& each : room_.nodes()[*number].nominated) {
    if (auto pod = snapshot_.pod(each.key)) pods.push_back(*std::move(pod));
  }
  return pods;
}

// Those on their way out, and those chosen to go.
std::vector<Pod> Reactor::leaving_from(const std::string& node) {
  std::vector<Pod> pods;
  const auto number = room_.find_node(node);
  if (!number) return pods;
  const auto overdue = clock_.overdue(now_.since_start);
  const auto removal = removals_.find(node);
  const auto is_chosen = [&](const std::string& uid) {
    return removal != removals_.end() &&
           std::ranges::any_of(removal->second.set.victims(),
                               [&](const Pod& each) { return each.uid == uid; });
  };
  for (const policy::RoomHolding& each : room_.nodes()[*number].holders) {
    const bool leaves = each.is_terminating() && !overdue.contains(each.uid);
    if (!leaves && !is_chosen(each.uid)) continue;
    if (auto pod = snapshot_.pod(each.key)) pods.push_back(*std::move(pod));
  }
  return pods;
}

policy::ScheduleTerms Reactor::terms_for(const Pod& pod) {
  policy::ScheduleTerms terms;
  terms.lapsed.overdue = clock_.overdue(now_.since_start);
  terms.waits_until = server_time() + policy::kLongestAwaited;
  terms.unremovable = refusals_.uids(now_.since_start);
  if (!seeded(SeededBug::ReturnsToRefuser)) {
    terms.avoided = avoided_nodes_.avoided_by(pod, now_.since_start);
  }
  if (snapshot_.unreadable() > 0) {
    for (auto& [node, why] : snapshot_.unclear_nodes()) terms.avoided.try_emplace(node, why);
  }
  return terms;
}

Reactor::PlaceVerdict Reactor::decide_place(const Waiting& pod, const Pod& seen) {
  policy::ScheduleTerms terms = terms_for(seen);
  const bool is_plain = terms.avoided.empty() && terms.unremovable.empty();
  const auto alike =
      is_plain ? pod_signature(seen, !room_.kinds_with_terms().empty()) : std::nullopt;
  if (alike) {
    const auto known = refused_signatures_.find(*alike);
    const bool is_news = known != refused_signatures_.end() && known->second.relief != relief_ &&
                         !seeded(SeededBug::BelievesEqualsForEver);
    if (known != refused_signatures_.end() && !is_news) {
      return {.result = TurnResult::Unschedulable, .message = known->second.message};
    }
  }
  PlaceVerdict verdict = place_or_preempt(pod, seen, std::move(terms));
  if (alike && verdict.result == TurnResult::Unschedulable) {
    if (refused_signatures_.size() >= kMostAlike) refused_signatures_.clear();
    refused_signatures_[*alike] = {.relief = relief_, .message = verdict.message};
  }
  return verdict;
}

Reactor::PlaceVerdict Reactor::place_or_preempt(const Waiting& pod, const Pod& seen,
                                                policy::ScheduleTerms terms) {
  const bool may_search = has_slot();
  if (!may_search) terms.no_victims_on.insert("*");
  std::optional<Time> allowed;  // when the breaker lets the first of those go that it held up
  PodText held;                 // whom it held up
  PlaceVerdict verdict;
  for (int tries = 0;; ++tries) {
    verdict.decision = policy::schedule(room_, seen, terms);
    verdict.message = PodText(verdict.decision.message) + held;
    const bool has_searched = may_search && verdict.decision.result != SchedulingResult::Bind &&
                              verdict.decision.result != SchedulingResult::AwaitingVictims;
    nodes_looked_at_ += room_.nodes().size() * (has_searched ? kSearchOfNode : 1);
    switch (verdict.decision.result) {
      case SchedulingResult::Bind:
        verdict.result = TurnResult::Binds;
        return verdict;
      case SchedulingResult::AwaitingVictims: {
        verdict.result = TurnResult::Awaits;
        const std::vector<Pod> pods = snapshot_.pods_of(verdict.decision.node);
        verdict.next_look = sooner(allowed, clock_.next(pods, now_.since_start));
        // One that leaves late is waited for only because no other node was searched.
        const bool is_late = std::ranges::any_of(pods, [&](const Pod& each) {
          const auto mark = policy::removal_mark(each);
          return each.deletion > terms.waits_until && !(mark && mark->uid == seen.uid);
        });
        if (is_late && !may_search) {
          verdict.next_look = sooner(verdict.next_look, now_.since_start + Queue::kLongestBackoff);
        }
        return verdict;
      }
      case SchedulingResult::Unschedulable:
        if (!may_search && seen.preemption_policy != policy::PreemptionPolicy::Never) {
          want_slot(policy::key_of(seen), pod);
          return waits_for_slot(seen);
        }
        verdict.result = allowed        ? TurnResult::Broken
                         : held.empty() ? TurnResult::Unschedulable
                                        : TurnResult::TooMany;
        verdict.next_look = sooner(
            allowed, sooner(avoided_nodes_.next(seen, now_.since_start),
                            terms.unremovable.empty() ? std::nullopt
                                                      : refusals_.next_anywhere(now_.since_start)));
        return verdict;
      case SchedulingResult::Preempt:
        break;
    }
    const std::string& node = verdict.decision.node;
    if (removals_.contains(node)) {
      verdict.result = TurnResult::Busy;
      verdict.message = "pods of node " + node + " are being asked to go";
      return verdict;
    }
    if (!strip_leaving(verdict.decision) || has_twins(node)) {
      if (tries == kMostTries) {
        verdict.result = TurnResult::Unschedulable;
        return verdict;
      }
      terms.no_victims_on.insert(node);
      continue;
    }
    if (verdict.decision.victims.empty()) {
      verdict.result = TurnResult::Awaits;
      verdict.next_look = clock_.next(snapshot_.pods_of(node), now_.since_start);
      return verdict;
    }
    if (const std::string marked = being_cleared(verdict.decision); !marked.empty()) {
      verdict.result = TurnResult::Busy;
      verdict.message = "an earlier mark of pod " + marked + " is being taken back";
      verdict.next_look = now_.since_start + Queue::kFirstBackoff;
      return verdict;
    }
    if (!breaker_store_.trouble().empty()) {
      verdict.result = TurnResult::Broken;
      verdict.message += " Nobody is removed now: " + not_kept_in_words() + ".";
      verdict.next_look = now_.since_start + Queue::kLongestBackoff;
      return verdict;
    }
    const auto answer =
        breaker_.allowed_at(pod.uid, node, uids_of(verdict.decision), now_.since_start);
    if (answer && answer->at() == now_.since_start) {
      verdict.result = TurnResult::Preempts;
      return verdict;
    }
    const PodText words = PodText(" The circuit breaker holds up the removal of ") +
                          victims_in_words(verdict.decision, seen) + " from node " + node + ".";
    held += words;
    verdict.message += words;
    if (answer) allowed = sooner(allowed, answer->at());
    const bool is_of_pod = answer && answer->for_pod > now_.since_start;
    if (is_of_pod || tries == kMostTries) {
      verdict.result = answer ? TurnResult::Broken : TurnResult::TooMany;
      verdict.next_look = allowed;
      return verdict;
    }
    terms.no_victims_on.insert(node);
  }
}

// Nobody is looked for that could go: it would have to wait all the same.
Reactor::PlaceVerdict Reactor::waits_for_slot(const Pod& seen) const {
  PlaceVerdict verdict{.result = TurnResult::Busy,
                       .message = std::string(kManyOthersGo),
                       .next_look = now_.since_start + Queue::kLongestBackoff};
  verdict.decision.node = seen.nominated_node;
  return verdict;
}

// Upstream's rules choose pods that are on their way out, and on any node: nobody is asked twice,
// and a node that is stuck, where this is false, loses nobody. Our own see to both themselves.
bool Reactor::strip_leaving(policy::SchedulingDecision& decision) const {
  if (options_.rules != policy::RuleSet::Upstream) return true;
  const auto view = view_of(decision.node);
  if (!view) return true;
  const policy::OverduePods lapsed = clock_.lapsed(view->pods, now_.since_start);
  if (policy::stuck_node(view->node, view->pods, lapsed)) return false;
  std::erase_if(decision.victims, [&](const policy::VictimReport& each) {
    const auto pod = std::ranges::find(view->pods, each.uid, &Pod::uid);
    return pod != view->pods.end() && policy::is_terminating(*pod);
  });
  return true;
}

// Two pods of one uid: whoever is asked to go, it could be the other one.
bool Reactor::has_twins(const std::string& node) const {
  const auto number = room_.find_node(node);
  if (!number) return false;
  std::set<std::string_view> uids;
  return !std::ranges::all_of(room_.nodes()[*number].holders, [&](const policy::RoomHolding& each) {
    return uids.insert(each.uid).second;
  });
}

// Whose earlier mark is being taken back, which would take that of this set with it; "" for nobody.
std::string Reactor::being_cleared(const policy::SchedulingDecision& decision) const {
  for (const policy::VictimReport& each : decision.victims) {
    if (is_being_cleared(each.pod)) return each.pod;
  }
  return "";
}

void Reactor::settle_place(const std::string& key, Waiting& pod, const Pod& seen,
                           PlaceVerdict verdict) {
  const std::string& node = verdict.decision.node;
  std::optional<std::string> nominated;
  switch (verdict.result) {
    case TurnResult::Binds:
      if (!options_.dry_run) return bind(key, pod, seen, node);
      tell(key, pod,
           {.words = "It would be bound to node " + node, .reason = EventReason::Preempting});
      break;
    case TurnResult::Preempts:
      if (!options_.dry_run) return preempt_for(key, pod, seen, verdict);
      tell(key, pod,
           {.words = PodText("Removing ") + victims_in_words(verdict.decision, seen) +
                     " from node " + node + " would make room",
            .reason = EventReason::Preempting});
      break;
    case TurnResult::Awaits:
      pod.node = node;
      if (seen.nominated_node != node) nominated = node;
      break;
    case TurnResult::Busy:
      pod.node = node;
      break;
    case TurnResult::TooMany:
      if (!node.empty()) break;
      [[fallthrough]];
    case TurnResult::Unschedulable:
      pod.node.clear();
      if (!seen.nominated_node.empty() && !seeded(SeededBug::KeepsNomination)) nominated = "";
      break;
    default:
      break;
  }
  if (!options_.dry_run) {
    if (nominated) assume_nomination(seen, *nominated);
    // Only once: who is nominated there again meanwhile has found room beside this pod.
    if (verdict.result == TurnResult::Awaits && nominated) {
      for (const std::string& each : verdict.decision.outranked) end_nomination(each, node);
    }
  }
  if (verdict.result != TurnResult::Busy && verdict.result != TurnResult::Binds) {
    tell_unplaced(key, pod, seen, kUnschedulable, verdict.message, nominated);
  }
  park(key, pod, verdict.result, verdict.message.full(), verdict.next_look);
}

// ---- binding ----

void Reactor::bind(const std::string& key, Waiting& pod, const Pod& seen, const std::string& node) {
  ++counts_.turns[static_cast<std::size_t>(TurnResult::Binds)];
  pod.result = TurnResult::Binds;
  pod.message.clear();
  pod.next_look.reset();
  pod.node = node;
  send_binding(victim_of(seen), key, node);
  assume_cache_.bind(seen, node);
  if (seeded(SeededBug::GivesRoomTwice)) return;
  Pod placed = seen;
  placed.node = node;
  doing_ = key;
  believe(cluster::PackedPod::packed(placed));
  doing_.clear();
}

void Reactor::send_binding(const Victim& pod, const std::string& key, const std::string& node) {
  ++bindings_now_;
  in_flight_.emplace(emit(BindPod{.pod = pod, .node = node}, fence()),
                     PodBinding{.key = key, .uid = pod.uid, .node = node});
}

// The watch is to show it.
void Reactor::bound(const PodBinding& what) {
  --bindings_now_;
  ++counts_.bindings;
  say(named({.key = what.key, .uid = what.uid}), EventReason::Scheduled,
      "Successfully assigned " + what.key + " to " + what.node);
  assume_cache_.bound(what.key, what.uid, what.node);
  const auto at = waiting_.find(what.key);
  if (at == waiting_.end() || at->second.uid != what.uid) return;
  doubt_marks_for(at->second);
  queue_.park(what.key, Queue::Wish{.deadline = now_.since_start + kBoundWithin}, now_.since_start);
}

// It is believed to wait, and goes on doing so; its room is free.
void Reactor::unbind(const std::string& key) {
  const auto placed = snapshot_.pod(key);
  auto pod = assume_cache_.take_back_binding(key);
  if (!pod) return;
  doing_ = key;
  believe(*std::move(pod));
  if (placed) wake(placed->node, cluster::Change::PodLeft);
  doing_.clear();
}

void Reactor::not_bound(const PodBinding& what, const Error& error) {
  --bindings_now_;
  ++counts_.unbound;
  const auto at = waiting_.find(what.key);
  const bool waits = at != waiting_.end() && at->second.uid == what.uid;
  // Its room is kept for it until it is known what became of it; what was bound by an earlier try
  // is not undone by the refusal of a later one.
  const bool may_be_bound = is_unknown(error) || (error.code != Code::NotFound &&
                                                  assume_cache_.is_bound(what.key, what.uid));
  const bool is_kept = waits && may_be_bound && !seeded(SeededBug::GivesLostBindingsAway);
  if (!is_kept && assume_cache_.bound_to(what.key, what.uid) == what.node) unbind(what.key);
  const auto now_waits = waiting_.find(what.key);
  if (now_waits == waiting_.end() || now_waits->second.uid != what.uid) return;
  Waiting& pod = now_waits->second;
  pod.result = TurnResult::Failed;
  pod.message = "it was not bound to node " + what.node + ": " + error.message;
  if (is_refusal(error)) tell(what.key, pod, {.words = pod.message});
  queue_.retry(what.key, what.uid, error.retry_after, now_.since_start);
}

// ---- preemption ----

void Reactor::preempt_for(const std::string& key, Waiting& pod, const Pod& seen,
                          PlaceVerdict& verdict) {
  const policy::SchedulingDecision& decision = verdict.decision;
  ++counts_.turns[static_cast<std::size_t>(TurnResult::Preempts)];
  pod.result = TurnResult::Preempts;
  pod.message = verdict.message.full();
  pod.next_look.reset();
  pod.node = decision.node;
  std::vector<Pod> victims;
  std::chrono::seconds longest{0};
  for (const policy::VictimReport& each : decision.victims) {
    if (auto victim = snapshot_.pod(each.pod)) {
      longest = std::max(longest, std::chrono::seconds(victim->termination_grace_seconds));
      victims.push_back(*std::move(victim));
    }
  }
  const OwnerEvent note{.words = PodText("Removing ") + victims_in_words(decision, seen) +
                                 " makes room on node " + decision.node,
                        .reason = EventReason::Preempting,
                        .joint = ", expected by ",
                        .time = now_.wall + longest};
  assume_nomination(seen, decision.node);
  begin_removal(key, pod, std::move(victims),
                {.budget_violations = decision.budget_violations,
                 .note = in_full(note),
                 .message = verdict.message});
}

// The last look before the first delete: no node takes it now either, and the same pods would have
// to go from that one.
void Reactor::look_again_for_pod(Removal& removal) {
  if (seeded(SeededBug::TakesNoLastLookForPods)) return go_on(removal);
  const Preemptor whom = removal.set.preemptor();
  const auto at = waiting_.find(whom.key);
  const auto seen = snapshot_.pod(whom.key);
  const bool waits = at != waiting_.end() && at->second.uid == whom.uid &&
                     at->second.generation == whom.generation && at->second.is_pending && seen;
  if (!waits) return removal.set.abandon("the pod does not wait for a node any more");
  if (removal.confirmed_by <= acting_from_) return removal.set.confirm_again();
  policy::ScheduleTerms terms = terms_for(*seen);
  terms.removes_only_on = whom.node;
  policy::SchedulingDecision decision = policy::schedule(room_, *seen, terms);
  const bool is_stuck = decision.result == SchedulingResult::Preempt &&
                        (!strip_leaving(decision) || has_twins(whom.node));
  std::set<std::string> chosen;
  for (const policy::VictimReport& each : decision.victims) chosen.insert(each.uid);
  std::set<std::string> marked;
  for (const Pod& each : removal.set.victims()) marked.insert(each.uid);
  if (decision.result != SchedulingResult::Preempt || is_stuck || chosen != marked) {
    return removal.set.abandon("the cluster has changed meanwhile");
  }
  // Somebody more important may have taken its nomination meanwhile, and there is room for both.
  assume_nomination(*seen, whom.node);
  tell_unplaced(whom.key, at->second, *seen, kUnschedulable, removal.terms.message, whom.node);
  for (const std::string& each : decision.outranked) end_nomination(each, whom.node);
  go_on(removal);
}

// ---- nominations ----

void Reactor::assume_nomination(const Pod& pod, const std::string& node) {
  if (pod.nominated_node == node || seeded(SeededBug::PromisesNothing)) return;
  assume_cache_.nominate(pod, node);
  Pod promised = pod;
  promised.nominated_node = node;
  doing_ = policy::key_of(pod);
  believe(cluster::PackedPod::packed(promised));
  doing_.clear();
}

void Reactor::take_back_nomination(const std::string& key) {
  if (auto pod = assume_cache_.take_back_nomination(key)) {
    doing_ = key;
    believe(*std::move(pod));
    doing_.clear();
  }
}

// Of a less important pod: its room goes to another one. Elsewhere it keeps what it was promised
// meanwhile.
void Reactor::end_nomination(const std::string& key, const std::string& node) {
  if (seeded(SeededBug::KeepsOutranked)) return;
  const auto pod = snapshot_.pod(key);
  if (!pod || !pod->node.empty() || pod->nominated_node != node || !is_ours(*pod)) return;
  assume_nomination(*pod, "");
  write_pending(victim_of(*pod), std::nullopt, "");
  queue_.wake_one(key, cluster::Change::Own, now_.since_start);
}

// ---- what its owner is told ----

void Reactor::write_pending(const Victim& pod, std::optional<policy::Condition> scheduled,
                            std::optional<std::string> nominated) {
  auto now = pending_writes_.add(
      {.pod = pod, .scheduled = std::move(scheduled), .nominated = std::move(nominated)});
  if (now) send_pending(*std::move(now));
}

void Reactor::send_pending(WritePending write) {
  PendingWrite what{.pod = write.pod, .nominated = write.nominated};
  in_flight_.emplace(emit(std::move(write), fence()), std::move(what));
}

void Reactor::written(const PendingWrite& what) {
  const std::string key = what.key();
  const auto at = waiting_.find(key);
  const bool waits = at != waiting_.end() && at->second.uid == what.pod.uid;
  if (waits) at->second.unwritten = 0;
  // Of one that is being bound there is nothing to say any more.
  const bool goes_on = waits && may_act() && assume_cache_.bound_to(key, what.pod.uid).empty();
  auto next = pending_writes_.answered(what.pod, goes_on);
  if (!next) return assume_cache_.all_written(key, what.pod.uid);
  if (goes_on) return send_pending(*std::move(next));
  still_to_write(key, what.pod.uid, next->nominated);
}

// It is written again, with what has waited for it.
void Reactor::not_written(const PendingWrite& what, const Error& error) {
  const std::string key = what.key();
  const auto next = pending_writes_.answered(what.pod, false);
  if (seeded(SeededBug::ForgetsUnwritten)) return;
  still_to_write(key, what.pod.uid, next && next->nominated ? next->nominated : what.nominated);
  const auto at = waiting_.find(key);
  if (at == waiting_.end() || at->second.uid != what.pod.uid) return;
  const Time usual =
      backoff_delay(Queue::kFirstBackoff, Queue::kLongestServerDelay, at->second.unwritten++);
  const Time wait = std::min(std::max(usual, error.retry_after), Queue::kLongestServerDelay);
  queue_.look_by(key, now_.since_start + wait);
}

// With the pod's next turn. What was promised stands until then: others may be on their way out for
// it.
void Reactor::still_to_write(const std::string& key, const std::string& uid,
                             const std::optional<std::string>& nominated) {
  if (nominated) assume_cache_.not_written(key, uid, *nominated);
  const auto at = waiting_.find(key);
  if (at != waiting_.end() && at->second.uid == uid) at->second.written.clear();
}

// As users know it: the condition PodScheduled and an event, once for each news.
void Reactor::tell_unplaced(const std::string& key, Waiting& pod, const Pod& seen,
                            std::string_view reason, const policy::PodText& message,
                            std::optional<std::string> nominated) {
  const std::string words = std::string(reason) + ": " + message.on_pod();
  std::optional<policy::Condition> condition;
  if (pod.written != words) {
    condition = policy::Condition{.type = std::string(kPodScheduled),
                                  .status = "False",
                                  .reason = std::string(reason),
                                  .message = message.on_pod(),
                                  .observed_generation = seen.generation,
                                  .last_transition = now_.wall};
    pod.written = words;
    if (reason == kUnschedulable) {
      say(named({.key = key, .uid = pod.uid}), EventReason::FailedScheduling, message);
    }
  }
  if (options_.dry_run) return;
  const auto owed = assume_cache_.take_unwritten(key, pod.uid);
  if (!nominated) nominated = owed;
  if (condition || nominated) {
    write_pending(victim_of(seen), std::move(condition), std::move(nominated));
  }
}

}  // namespace elbowroom::scheduler
