// The scheduler's whole mutable state, on one thread: handle(observation) gives effects. It does no
// I/O and asks no clock; whoever waits is woken by changes on its own node or by a time it named,
// and one judgement unpacks one node.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cluster/snapshot.h"
#include "control/elector.h"
#include "control/server_clock.h"
#include "policy/model/rules.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/schedule.h"
#include "policy/preemption/resize_preemption.h"
#include "scheduler/assume_cache.h"
#include "scheduler/avoided_nodes.h"
#include "scheduler/circuit_breaker.h"
#include "scheduler/circuit_breaker_store.h"
#include "scheduler/counters.h"
#include "scheduler/deadline_queue.h"
#include "scheduler/effect.h"
#include "scheduler/event_table.h"
#include "scheduler/leadership.h"
#include "scheduler/observation.h"
#include "scheduler/owner_event.h"
#include "scheduler/pending_status.h"
#include "scheduler/queue.h"
#include "scheduler/refused_removals.h"
#include "scheduler/removal_slots.h"
#include "scheduler/repeat_cause.h"
#include "scheduler/room_deadlines.h"
#include "scheduler/set_removal.h"
#include "scheduler/victim_events.h"
#include "scheduler/waiting_pod.h"

namespace elbowroom::scheduler {

struct ReactorOptions {
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  bool dry_run = false;  // decide and explain, perform nothing but the Lease
  bool leader_elect = true;
  control::ElectorOptions elector{};
  CircuitBreakerLimits breaker{};
  // Schedulers that preempt for resizes themselves; nullopt: default-scheduler where the API server
  // keeps podPreemptionPolicy, else none.
  std::optional<std::set<std::string, std::less<>>> yield_to{};
  // Mode full: the names of schedulers whose pending pods are ours to place ("": pods that name
  // none). Empty: mode resize.
  std::set<std::string, std::less<>> places_for{};
};

//   NodesListed, PodsListed, BudgetsListed, OwnBudgetsListed (NamespacesListed), leading
//                      |
//                      v    all of them true, nothing lost: acting
//            pop --> judge --> park / begin a removal / bind
class Reactor {
 public:
  using Time = std::chrono::milliseconds;  // since the start

  explicit Reactor(ReactorOptions options);
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Every effect but events must be answered by Done or Failed under its id, in any order.
  [[nodiscard]] Effects handle(Observation seen);

  // When TimePassed must arrive at the latest; none: nothing is waited for. It may be now: a turn
  // judges no more than a few dozen pods.
  [[nodiscard]] std::optional<Time> next_wake() const { return next_wake_; }

  [[nodiscard]] bool leads() const { return leadership_.leads(now_.since_start); }
  [[nodiscard]] bool is_synced() const {
    return listed_.size() == kCollections + (places() ? 1U : 0U);
  }
  // Mode full: pending pods are placed.
  [[nodiscard]] bool places() const { return !options_.places_for.empty(); }
  // Why it acts not at all; "" while it does.
  [[nodiscard]] std::string idle_because() const;
  // What is not followed, and why; "" while all is.
  [[nodiscard]] std::string lost() const;
  // Why it could not lead although nobody else does: the Lease cannot be read, or not written; ""
  // where it can, or leads.
  [[nodiscard]] std::string lease_error() const { return leadership_.trouble(now_.since_start); }
  // The Lease was given back, or is left to run out, or there was none: the program may end.
  [[nodiscard]] bool handed_over() const { return leadership_.is_handed_over(now_.since_start); }

  [[nodiscard]] const ReactorOptions& options() const { return options_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const Queue& queue() const { return queue_; }
  [[nodiscard]] const cluster::Snapshot& snapshot() const { return snapshot_; }
  // By NAMESPACE/NAME.
  [[nodiscard]] const std::map<std::string, Waiting, std::less<>>& waiting() const {
    return waiting_;
  }
  [[nodiscard]] std::size_t assumed() const { return assumed_.size(); }
  [[nodiscard]] Time now() const { return now_.since_start; }
  [[nodiscard]] const RefusedRemovals& refusals() const { return refusals_; }

 private:
  static constexpr std::size_t kCollections = 4;
  // So that the first victim goes before the last one is marked: about as many as requests are
  // on their way at a time (api/transport/curl_transport.cpp), or a delete waits for the marks of
  // all others.
  static constexpr std::size_t kRemovalsAtOnce = 12;
  // One that is not answered for that long is not waited for by anybody else.
  static constexpr Time kMarkedWithin{1'000};
  // Answered or not. Whoever needs one more goes on when one has ended; others go on at once.
  static constexpr std::size_t kMostRemovals = 32;
  // Between two observations, so that what happens is not heard of late: turns, and nodes looked
  // at, a search for victims counting as often as it takes longer (schedule_bench); some 2 ms.
  static constexpr std::size_t kTurnsAtOnce = 64;
  static constexpr std::size_t kNodesAtOnce = 100'000;
  static constexpr std::size_t kSearchOfNode = 64;
  static constexpr std::string_view kManyOthersGo =
      "pods of many other nodes are being asked to go";
  // On their way to the API server.
  static constexpr std::size_t kBindingsAtOnce = 256;
  struct LeaseWrite {};
  struct StaleMark {
    std::string key{};
  };
  struct RemovalStep {
    std::string node{};
    std::uint64_t removal = 0;
    PreemptedFor preemptor{};
    SetRemoval::Step step{};
  };
  struct Keeping {  // what the circuit breaker counts
    std::uint64_t leadership = 0;
    bool reads = false;
  };
  struct PodBinding {
    std::string key{};
    std::string uid{};
    std::string node{};
  };
  struct DeferredSince {
    std::string uid{};
    Time since{0};
  };
  struct PendingWrite {
    Victim pod{};
    std::optional<std::string> nominated{};
    [[nodiscard]] std::string key() const { return pod.ns + "/" + pod.name; }
  };
  using InFlight =
      std::variant<LeaseWrite, StaleMark, RemovalStep, PodBinding, PendingWrite, Keeping>;

  struct RemovalTerms {
    int budget_violations = 0;
    policy::PodText note{};     // for the owner, when the first delete is sent
    policy::PodText message{};  // of a pending pod, for its condition
  };
  // One for each node at a time.
  struct Removal {
    std::uint64_t number = 0;
    SetRemoval set;
    RemovalTerms terms{};
    Time begun{0};
    EffectId confirmed_by = 0;                 // the last ConfirmResize
    CircuitBreakerStore::Number counted_as{};  // 0: all of them were counted before
  };
  // A victim whose delete was accepted and that was not seen on its way out yet.
  struct Assumed {
    std::string uid{};
    std::string node{};
    Time until{0};
  };
  struct MarkSeen {
    policy::RemovalMark mark{};
    std::string uid{};  // of the marked pod
    std::string node{};
    bool clearing = false;
    Time not_before{0};  // after a failed clearing
    unsigned failures = 0;
  };

  // reactor.cpp: what was seen.
  void on(NodesListed& seen);
  void on(NodeSeen& seen);
  void on(const NodeGone& seen);
  void on(PodsListed& seen);
  void on(PodSeen& seen);
  void on(const PodGone& seen);
  void on(const BudgetsListed& seen);
  void on(const BudgetSeen& seen);
  void on(const BudgetGone& seen);
  void on(const OwnBudgetsListed& seen);
  void on(const OwnBudgetSeen& seen);
  void on(const OwnBudgetGone& seen);
  void on(const NamespacesListed& seen);
  void on(const NamespaceSeen& seen);
  void on(const NamespaceGone& seen);
  void on(const Unreadable& seen);
  void on_unreadable_budget(const Unreadable& seen);
  void on(const Lost& seen);
  void on(const Back& seen);
  void on(const PolicyFieldProbed& seen);
  void on(const ServerDated& seen);
  void on(const LeaseSeen& seen);
  void on(const LeaseUnseen& seen);
  void on(const StopAsked& seen);
  void on(const TimePassed& seen);
  void on(const Done& done);
  void on(const Failed& failed);

  void take_in(policy::Node node);
  void take_in(cluster::PackedPod shown);
  void take_in(const cluster::PodEvent& event);
  void believe(cluster::PackedPod pod);
  void wake(std::string_view node, cluster::Changes what);
  void understood(std::string_view key);
  // Keys of known pods that a list has no more, in order.
  [[nodiscard]] std::vector<std::string> gone_since(const PodsListed& list) const;
  void follow_waiting(const policy::Pod* before, const policy::Pod* after);
  void drop_waiting(std::string_view key);
  void follow_deferral(const policy::Pod* before, const policy::Pod* after);
  void follow_mark(const policy::Pod* before, const policy::Pod* after);
  void follow_loss(const policy::Pod* before, const policy::Pod* after);
  template <class Budget>
  [[nodiscard]] bool take_in_budget(const Budget& budget);
  void budget_changed(const std::string& ns, const std::optional<policy::LabelSelector>& before,
                      const std::optional<policy::LabelSelector>& after);
  void lead_or_follow();
  void begin_to_lead();
  void cease_to_lead();
  [[nodiscard]] bool is_writing() const;
  void renew();
  void keep_breaker();
  void breaker_kept(const Keeping& what, const Done& done);
  void breaker_not_kept(const Keeping& what, const Error& error);
  void work();
  void find_next_wake();
  [[nodiscard]] bool may_act() const;
  // When no more is under way than may be, as far as time alone tells; none: something is to be
  // answered first.
  [[nodiscard]] std::optional<Time> judges_at() const;
  [[nodiscard]] bool may_judge() const;

  // reactor_judge.cpp: one Deferred pod's turn.
  struct Verdict {
    TurnResult result = TurnResult::Unknown;
    policy::PodText message{};
    std::optional<Time> next_look{};
    std::optional<Time> until{};      // when the reason to wait is over, where that is known
    policy::ResizePreemption plan{};  // points into the view
  };
  void judge_next();
  void offer_slots();
  void want_slot(const std::string& key, const Waiting& pod);
  [[nodiscard]] bool has_slot() const { return removals_.size() < kMostRemovals; }
  void judge(const std::string& key, Waiting& pod);
  [[nodiscard]] Verdict decide(const Waiting& pod, const cluster::NodeView& view) const;
  [[nodiscard]] Verdict preempt_or_wait(const Waiting& pod, const cluster::NodeView& view,
                                        policy::ResizePreemption plan) const;
  [[nodiscard]] std::optional<Verdict> yields(const Waiting& pod, const policy::Pod& preemptor,
                                              const cluster::NodeView& view,
                                              std::string_view reader) const;
  [[nodiscard]] std::optional<Verdict> yields_for_one_before(const Waiting& pod,
                                                             const cluster::NodeView& view) const;
  [[nodiscard]] std::optional<Verdict> held_up_by_breaker(
      const Waiting& pod, const cluster::NodeView& view,
      const policy::ResizePreemption& plan) const;
  [[nodiscard]] policy::ResizePreemption plan_for(const Waiting& pod, const cluster::NodeView& view,
                                                  const policy::OverduePods& lapsed) const;
  [[nodiscard]] policy::NodeMoment moment_of(const Waiting& pod, const cluster::NodeView& view,
                                             const policy::OverduePods& lapsed,
                                             const policy::Unremovable& unremovable) const;
  [[nodiscard]] policy::PodText refused_in_words(const std::string& node,
                                                 std::string_view reader) const;
  [[nodiscard]] std::optional<cluster::NodeView> view_of(const std::string& node) const;
  void settle(const std::string& key, Waiting& pod, const cluster::NodeView& view, Verdict verdict);
  [[nodiscard]] std::optional<policy::Time> told_time(const Waiting& pod,
                                                      const cluster::NodeView& view,
                                                      const Verdict& verdict) const;
  // What rates go by.
  [[nodiscard]] policy::Time server_time() const { return server_clock_.at(now_.since_start); }
  [[nodiscard]] policy::Time wall_of(Time time) const {
    return now_.wall + (time - now_.since_start);
  }
  [[nodiscard]] Time since_start_of(policy::Time wall) const {
    return now_.since_start + std::chrono::duration_cast<Time>(wall - now_.wall);
  }
  [[nodiscard]] Said said_by(const OwnerEvent& note) const;
  void tell(const std::string& key, Waiting& pod, const OwnerEvent& note);
  void park(const std::string& key, Waiting& pod, TurnResult result, std::string message,
            std::optional<Time> next_look);
  void rest(const std::string& key, const Waiting& pod, TurnResult result,
            std::optional<Time> next_look);
  void note_fit(const std::string& key, Waiting& pod, const cluster::NodeView& view);
  [[nodiscard]] std::optional<Time> budgets_allow_at(const policy::Budgets& budgets) const;
  [[nodiscard]] bool yields_to(const policy::Pod& pod) const;

  // reactor_place.cpp: pending pods.
  struct PlaceVerdict {
    TurnResult result = TurnResult::Unschedulable;
    policy::PodText message{};
    std::optional<Time> next_look{};
    policy::SchedulingDecision decision{};
  };
  struct RefusedAlike {
    std::uint64_t relief = 0;
    policy::PodText message{};
  };
  [[nodiscard]] bool is_ours(const policy::Pod& pod) const;
  void put_in_room(const policy::Pod& pod);
  void take_out_of_room(const policy::Pod& pod);
  void follow_room(const cluster::PodEvent& event);
  void follow_end(const policy::Pod& ended, bool was_seen);
  void refresh_budgets(const std::string& ns);
  void refresh_budgets_of(const std::set<std::string, std::less<>>& namespaces);
  void judge_pending(const std::string& key, Waiting& pod);
  [[nodiscard]] bool binds_again(const std::string& key, const Waiting& pod,
                                 const std::string& node);
  [[nodiscard]] bool is_to_go(const std::string& key, const std::string& uid,
                              const std::string& node) const;
  [[nodiscard]] bool still_takes(const std::string& key, const std::string& node);
  [[nodiscard]] bool takes_without(const std::vector<policy::Pod>& others, policy::Pod pod,
                                   const std::string& node);
  [[nodiscard]] std::vector<policy::Pod> nominated_on(const std::string& node) const;
  [[nodiscard]] std::vector<policy::Pod> leaving_from(const std::string& node);
  [[nodiscard]] policy::ScheduleTerms terms_for(const policy::Pod& pod);
  [[nodiscard]] PlaceVerdict decide_place(const Waiting& pod, const policy::Pod& seen);
  [[nodiscard]] PlaceVerdict place_or_preempt(const Waiting& pod, const policy::Pod& seen,
                                              policy::ScheduleTerms terms);
  [[nodiscard]] PlaceVerdict waits_for_slot(const policy::Pod& seen) const;
  [[nodiscard]] bool strip_leaving(policy::SchedulingDecision& decision) const;
  [[nodiscard]] bool has_twins(const std::string& node) const;
  [[nodiscard]] std::string being_cleared(const policy::SchedulingDecision& decision) const;
  void settle_place(const std::string& key, Waiting& pod, const policy::Pod& seen,
                    PlaceVerdict verdict);
  void preempt_for(const std::string& key, Waiting& pod, const policy::Pod& seen,
                   PlaceVerdict& verdict);
  void bind(const std::string& key, Waiting& pod, const policy::Pod& seen, const std::string& node);
  void send_binding(const Victim& pod, const std::string& key, const std::string& node);
  void bound(const PodBinding& what);
  void unbind(const std::string& key);
  void not_bound(const PodBinding& what, const Error& error);
  void assume_nomination(const policy::Pod& pod, const std::string& node);
  void take_back_nomination(const std::string& key);
  void end_nomination(const std::string& key, const std::string& node);
  void write_pending(const Victim& pod, std::optional<policy::Condition> scheduled,
                     std::optional<std::string> nominated);
  void send_pending(WritePending write);
  void still_to_write(const std::string& key, const std::string& uid,
                      const std::optional<std::string>& nominated);
  void written(const PendingWrite& what);
  void not_written(const PendingWrite& what, const Error& error);
  void tell_unplaced(const std::string& key, Waiting& pod, const policy::Pod& seen,
                     std::string_view reason, const policy::PodText& message,
                     std::optional<std::string> nominated);
  void look_again_for_pod(Removal& removal);

  // reactor_removal.cpp: pods go.
  void begin_removal(const std::string& key, const Waiting& pod, std::vector<policy::Pod> victims,
                     RemovalTerms terms);
  void go_on(Removal& removal);
  void drive_all();
  void count(Removal& removal);
  void drive(Removal& removal);
  [[nodiscard]] std::string not_kept_in_words() const;
  void look_again(Removal& removal);
  void record_set(Removal& removal, const cluster::NodeView& view);
  void take_steps(Removal& removal);
  void takes_back(const Victim& marked);
  void step_shown(const RemovalStep& step, const policy::Pod& preemptor);
  void step_ended(const RemovalStep& step, const std::optional<Error>& error);
  void note_refusal(const RemovalStep& step, const Error& error);
  void tell_victim(const VictimEvent& event);
  void count_victim(const VictimEvent& event);
  void answered_delete(const RemovalStep& step, const Victim& victim,
                       const std::optional<Error>& error);
  void assume(const Victim& victim, bool asked_by_us);
  void uncharge(const Victim& victim);
  void undebit(const RemovalStep& step, const Victim& victim);
  void end_removal(const std::string& on);
  [[nodiscard]] bool have_left(const std::vector<policy::Pod>& pods) const;
  void after_removal(const SetRemoval& set, Waiting& pod);
  void clear_stale_marks();
  void clear_if_stale(const std::string& key, MarkSeen& seen);
  [[nodiscard]] bool is_being_cleared(const std::string& key) const;
  void doubt_marks_on(const std::string& node);
  void doubt_marks_for(const Waiting& pod);
  [[nodiscard]] bool stands(const policy::RemovalMark& mark, const std::string& node) const;

  void say(const Victim& regarding, EventReason reason, const policy::PodText& note);
  template <class What>
  EffectId emit(What what, Time not_after) {
    const EffectId id = ++last_effect_;
    outbox_.push_back({.id = id, .not_after = not_after, .what = std::move(what)});
    return id;
  }
  [[nodiscard]] Time fence() const { return leadership_.fence(now_.since_start); }

  const ReactorOptions options_;
  Moment now_{};
  cluster::Snapshot snapshot_;
  std::set<Collection> listed_{};
  std::map<Collection, std::string> lost_{};
  std::optional<bool> keeps_policy_field_{};
  Leadership leadership_;

  Queue queue_{};
  std::map<std::string, Waiting, std::less<>> waiting_{};  // by key
  // Mode full. The room of the cluster as the snapshot has it, kept event by event; and how often
  // something happened that could help a pod that no node took.
  policy::ClusterRoom room_;
  std::set<std::string, std::less<>> namespaces_{};
  AssumeCache assume_cache_{};
  PendingStatus pending_writes_{};
  AvoidedNodes avoided_nodes_{};
  DeadlineQueue budgets_due_{};  // namespaces whose hard budgets allow more by then
  std::uint64_t relief_ = 1;
  std::map<std::string, RefusedAlike, std::less<>> refused_signatures_{};
  std::size_t bindings_now_ = 0;     // on their way
  std::size_t nodes_looked_at_ = 0;  // since the last observation
  std::string doing_{};              // the pod of whose own doing others are told
  // Keys of the waiting pods; more than one where objects contradict each other.
  std::map<std::string, std::set<std::string>, std::less<>> by_uid_{};
  // When pods were first seen Deferred, whatever size they ask for since; by key.
  std::map<std::string, DeferredSince, std::less<>> deferred_since_{};
  // The last set that went for a resize that waits still; by uid.
  std::map<std::string, SetRecord, std::less<>> last_sets_{};
  std::map<std::string, MarkSeen, std::less<>> marks_{};  // by key of the marked pod
  std::map<std::string, std::set<std::string>, std::less<>> marks_on_{};  // their keys, by node
  std::set<std::string> doubtful_{};  // nodes whose marks may mean nothing any more
  DeadlineQueue marks_due_{};         // keys of marks whose clearing is to be tried again
  // Uids of pods whose mark we asked to be taken back and that were not marked by us since: what
  // the watch shows of their marks may be older.
  std::set<std::string, std::less<>> taken_back_{};
  std::map<std::string, Assumed, std::less<>> assumed_{};   // by key
  DeadlineQueue assumed_due_{};                             // by key too
  std::map<std::string, Removal, std::less<>> removals_{};  // by node
  RemovalSlots removal_slots_{};
  bool was_held_up_ = false;  // an answer for one of them came while nothing might be written
  std::uint64_t last_removal_ = 0;
  VictimEvents victim_events_{};
  RoomDeadlines clock_{};
  control::ServerClock server_clock_{};
  RefusedRemovals refusals_{};
  CircuitBreaker breaker_;
  CircuitBreakerStore breaker_store_;

  std::map<EffectId, InFlight> in_flight_{};
  EffectId last_effect_ = 0;
  bool acts_ = false;
  EffectId acting_from_ = 0;  // the last effect before it began to act, this time
  std::optional<Time> next_wake_{};
  Counts counts_{};
  Effects outbox_{};  // empty between two observations
};

}  // namespace elbowroom::scheduler
