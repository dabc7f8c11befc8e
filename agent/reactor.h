// The agent's whole mutable state, on one thread: handle(observation) returns effects. It does no
// I/O and reads no clock, so a run can be replayed and tested.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/checkpoint/boot.h"
#include "agent/checkpoint/checkpoint.h"
#include "agent/critical_removal.h"
#include "agent/effect.h"
#include "agent/node_totals.h"
#include "agent/observation.h"
#include "agent/pod_state.h"
#include "agent/reactor_state.h"
#include "agent/resize_phase.h"
#include "agent/status.h"
#include "agent/write/event_table.h"
#include "policy/model/node.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/resize_preemption.h"
#include "policy/resize/resize.h"

namespace elbowroom::agent {

struct ReactorOptions {
  std::string node_name{};
  bool authority = false;  // otherwise companion
  // Whether the node makes room for critical pods itself; nullopt: only if the API server drops
  // podPreemptionPolicy, because otherwise a scheduler does it.
  std::optional<bool> critical_preemption = false;
  bool manage_pod_cgroups = true;
  bool dry_run = false;  // decide and explain, perform nothing
  // Stands in for a kubelet: the Node's annotation and PodResizePreemptionDisabled belong to other
  // writers, and it never yields. Authority only.
  bool kubelet = false;
  // It runs in a pod of the DaemonSet. An agent of the host steps back for that one.
  bool in_pod = false;
  policy::ManagerPolicies managers{};
  std::uint64_t jitter_seed = 0;
  Boot boot{};

  friend bool operator==(const ReactorOptions&, const ReactorOptions&) = default;
};

//        NodeSeen, PodsListed, RuntimeSeen
//                     |
//                     v                        all four true: judging
//   node known, pods listed, runtime answering, disk writable
class Reactor {
 public:
  // `restored` is the checkpoint's content; `rebuilt`: it could not be read and was moved aside.
  Reactor(ReactorOptions options, Checkpoint restored, bool rebuilt);

  // Continues from another reactor's state, as that reactor would.
  Reactor(ReactorOptions options, ReactorState state);

  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Every effect must be answered by Done or Failed with its id, in any order.
  [[nodiscard]] Effects handle(const Observation& seen);

  // When TimePassed must arrive at the latest, on the reactor's clock; none: it waits for no time.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_wake() const {
    return state_.next_wake;
  }

  // Returns everything it remembers from one observation to the next.
  [[nodiscard]] const ReactorState& state() const { return state_; }

  [[nodiscard]] Snapshot snapshot() const;
  // For metrics; costs about as much as a judgement.
  [[nodiscard]] NodeTotals figures() const;
  [[nodiscard]] const Checkpoint& durable() const { return state_.durable; }
  // Returns the Node as seen, with critical_preemption_by_node as this agent acts.
  [[nodiscard]] std::optional<policy::Node> node() const;

  // Returns the pod of that NAMESPACE/NAME, or nullptr; for explanations. Valid until the next
  // handle().
  [[nodiscard]] const PodState* find_pod(std::string_view key) const;

  // Returns the pods of the node as they are judged, without those that it can never run.
  [[nodiscard]] std::vector<policy::Pod> views() const;

 private:
  void on(const NodeSeen& seen);
  void on(const NodeGone& seen);
  void on(const PodSeen& seen);
  void on(const PodGone& seen);
  void on(const PodsListed& seen);
  void on(const PodUnreadable& seen);
  void on(const PodReadableAgain& seen);
  void on(const PolicyFieldProbed& seen);
  void on(const ApiLost& seen);
  void on(const ApiBack& seen);
  void on(const RuntimeSeen& seen);
  void on(const RuntimeLost& seen);
  void on(const KubeletSeen& seen);
  void on(const TimePassed& seen);
  void on(const Done& done);
  void on(const Failed& failed);
  void on(const BudgetsRead& read);

  void take_in(const policy::Pod& pod, std::optional<policy::Time> kubelet_wrote);
  void asked_to_go(const std::string& uid);
  void refresh_view(PodState& state);
  void saved();
  void save_failed(const Error& error);
  void acted(PodState& state, const std::string& container,
             const std::optional<cri::RuntimeResources>& size);
  bool apply_size(PodState& state, const std::string& container,
                  const std::optional<cri::RuntimeResources>& size);
  void act_failed(PodState& state, const Error& error);

  void evaluate();
  void go_on_if_quiet();
  void accompany();
  void accompany_for_show();
  void govern();
  void learn_weight_map();

  // reactor_admission.cpp: pods that are bound to the node and have not begun.
  void note_admissions();
  [[nodiscard]] std::optional<policy::Rejection> rejection_beside(const PodState& state,
                                                                  bool by_requests) const;
  [[nodiscard]] bool may_get_room(const PodState& state) const;
  void plan_admission(PodState& state);
  void judge_for_show();
  [[nodiscard]] bool is_contended() const { return !state_.contention.why.empty(); }
  [[nodiscard]] std::vector<ReadyCheck> ready_checks() const;
  [[nodiscard]] bool can_judge() const;
  [[nodiscard]] ResizePhase phase(const PodState& state) const { return phase_of(state_, state); }
  [[nodiscard]] bool preempts_for_critical_pods() const {
    return options_.authority && state_.critical_preemption.value_or(false);
  }
  void judge(Checkpoint& proposed);
  [[nodiscard]] std::optional<policy::RemovalMark> makes_room_for(const PodState& state,
                                                                  bool leaving) const;
  [[nodiscard]] bool room_is_made_for(const PodState& state) const;
  void refuse_folded(PodState& state);
  void note_decision(PodState& state, const policy::ResizeDecision& decision);
  void note_deferred(PodState& state);
  void say_what_would_be(const policy::Pod& pod, std::string note);
  void believe_who_stays();
  void count_resize(PodState& state);
  void took(std::string_view phase, std::chrono::milliseconds since);
  void adopt_pods(Checkpoint& proposed) const;
  [[nodiscard]] std::optional<PodAllocation> shown_later(const PodState& state,
                                                         const Checkpoint& proposed) const;
  [[nodiscard]] bool is_provable(const PodState& state) const;
  void believe_checkpoint();
  void note_overruled(const Checkpoint& before);
  void drop_gone(Checkpoint& proposed) const;
  void propose(Checkpoint proposed);
  void plan_actuation(PodState& state);
  void complete(PodState& state);

  // reactor_writing.cpp: writes to pods, and other writers.
  void plan_write(PodState& state);
  [[nodiscard]] bool may_write(const PodState& state) const;
  void hand_in(PodState& state, std::optional<WriteStatus> write);
  void note_undone(PodState& state, const std::string& what);
  void yield_to(const policy::PodText& whom);
  [[nodiscard]] const policy::Pod* companion_pod() const;
  void yield_to_companion();
  [[nodiscard]] std::string contention() const;
  void say_of_node(EventReason reason, const policy::PodText& note);

  // reactor_removal.cpp: room for critical pods.
  void plan_removal(Checkpoint& proposed);
  [[nodiscard]] bool makes_room_for_critical(const PodState& state) const;
  [[nodiscard]] bool is_our_turn(const PodState& state) const;
  [[nodiscard]] std::vector<const PodState*> waiting_pods() const;
  [[nodiscard]] std::optional<std::chrono::milliseconds> turn_began(const PodState& state) const;
  [[nodiscard]] std::optional<std::chrono::milliseconds> deferred_at(
      const RemovalIntent& intent) const;
  [[nodiscard]] std::optional<std::chrono::milliseconds> last_moment(
      const RemovalIntent& intent) const;
  [[nodiscard]] bool is_over(const RemovalIntent& intent) const;
  void remember_counted();
  [[nodiscard]] std::vector<CountedSet> counted_sets() const;
  bool begin_removal(const PodState& preemptor, std::vector<const PodState*>& stopped,
                     Checkpoint& proposed);
  void begin_with(const policy::ResizePreemption& plan, const PodState& preemptor,
                  Checkpoint& proposed);
  [[nodiscard]] std::vector<policy::Pod> planning_views(
      const std::vector<const PodState*>& stopped) const;
  template <class Stays>
  [[nodiscard]] bool fits_beside(const PodState& waits, Stays stays) const;
  [[nodiscard]] bool would_take_room_of(const std::vector<policy::ChosenVictim>& victims,
                                        const PodState& waits, const PodState& preemptor) const;
  void say_blocked(const PodState& preemptor, std::size_t victims, const PodState* room_claim);
  [[nodiscard]] policy::ResizePreemption planned(const PodState& preemptor,
                                                 const std::vector<policy::Pod>& pods,
                                                 const policy::Budgets& budgets) const;
  bool read_budgets_of(const policy::ResizePreemption& plan);
  [[nodiscard]] bool is_news(const PodState& preemptor);
  void say_walled(const PodState& preemptor, const std::vector<policy::Pod>& pods);
  void debit(const std::string& uid);
  void take_removal_steps();
  void clear_stale_marks();

  void annotate_node();
  void find_next_wake();
  [[nodiscard]] bool is_doing(Doing doing) const { return flying(state_, doing) > 0; }
  [[nodiscard]] bool is_full(Doing doing) const;
  [[nodiscard]] bool unsettled(const PodState& state) const;
  [[nodiscard]] std::optional<policy::Condition> in_progress_of(const PodState& state) const;

  template <class What>
  EffectId emit(What what, Doing doing, std::string uid) {
    const EffectId id = ++state_.last_effect;
    state_.in_flight.emplace(id, InFlight{.doing = doing, .uid = std::move(uid)});
    outbox_.push_back({id, std::move(what)});
    return id;
  }
  void say(const policy::Pod& pod, EventReason reason, const policy::PodText& note);

  // Constant after construction.
  const ReactorOptions options_;

  ReactorState state_{};
  bool undone_now_ = false;        // by what this observation showed
  Effects outbox_{};               // empty between two observations
  bool undecided_ = false;         // the next observation is available already
  std::vector<PhaseTook> took_{};  // with the observations of the decision; not used in decisions
  std::vector<Undone> undone_{};   // the same
  std::vector<Overruled> overruled_{};
};

}  // namespace elbowroom::agent
