// Connects the scheduler's reactor directly to the world: it sees all changes of an instant as one,
// and its effects are performed when it decides them. Only the world can refuse an effect, so a
// timeline shows decisions, not latencies. It has no Lease.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lab/scheduler_mode.h"
#include "lab/world/reported_event.h"
#include "lab/world/world.h"
#include "policy/model/time.h"
#include "scheduler/reactor.h"

namespace elbowroom::lab {

// A decision about one pod. For a Deferred resize: Preempt, Park (it fits and waits for the node),
// Await (room is on its way, or the node makes it) or Unschedulable. For a pending pod also Bind,
// Nominate and ClearNomination.
struct SchedulerDecision {
  std::uint64_t version = 0;  // of the world at the decision
  std::string action{};
  std::string pod{};  // NAMESPACE/NAME
  std::string node{};
  std::vector<std::string> victims{};
  std::string why{};

  friend bool operator==(const SchedulerDecision&, const SchedulerDecision&) = default;
};

// `result` has the names of metrics and /explain.
struct Judgement {
  std::string result{};
  std::string message{};
};

class DirectScheduler {
 public:
  using Names = std::set<std::string, std::less<>>;

  // `world` must outlive it. The schedulers of `yield_to` have the first turn.
  DirectScheduler(World& world, SchedulerMode mode, Names yield_to)
      : world_(world), mode_(mode), yield_to_(std::move(yield_to)) {}

  // Reports to the reactor what changed since the last step and performs its effects. Returns true
  // if there was anything to report. Call it until it returns false.
  bool step(policy::Time now);

  // When the reactor must be woken; nothing: not before something changes.
  [[nodiscard]] std::optional<policy::Time> next_due() const;

  // The process ends and restarts with what the API has.
  void restart();

  // Returns the decisions since the last call, oldest first, without unchanged repetitions.
  [[nodiscard]] std::vector<SchedulerDecision> take_decisions();

  // Returns the events since the last call, oldest first.
  [[nodiscard]] std::vector<ReportedEvent> take_events() { return std::exchange(events_, {}); }

  // Returns the result of the last turn of a pod that waits for a decision; nothing if it does not
  // wait, or had no turn yet.
  [[nodiscard]] std::optional<Judgement> judgement_of(std::string_view pod) const;

 private:
  using Seen = decltype(scheduler::Observation::what);
  struct Told {
    std::string uid{};
    std::int64_t generation = 0;
    std::string action{};
    std::string why{};

    friend bool operator==(const Told&, const Told&) = default;
  };

  void list_all();
  bool look();
  void look_at(const Kind& kind, const ChangedObject& which);
  void look_at_node(const Json* object, const std::string& name);
  void look_at_pod(const Json* object, const std::string& key);
  void look_at_budget(const Json* object, const ChangedObject& which);
  void look_at_namespace(const Json* object, const std::string& name);
  void look_at_own_budget(const Json* object, const ChangedObject& which);
  void tell(Seen seen);

  [[nodiscard]] Seen answer(const scheduler::Effect& effect);
  [[nodiscard]] Result<void> perform(const scheduler::Effect& effect);
  [[nodiscard]] Result<void> perform_one(const scheduler::MarkVictim& mark);
  [[nodiscard]] Result<void> perform_one(const scheduler::DeleteVictim& removal);
  [[nodiscard]] Result<void> perform_one(const scheduler::BindPod& bind);
  [[nodiscard]] Result<void> perform_one(const scheduler::WritePending& write);
  [[nodiscard]] Result<cluster::PackedPod> look_up(const scheduler::ConfirmResize& confirm);

  void note_removals(const scheduler::Effects& effects);
  [[nodiscard]] bool leaves(const std::string& pod) const;
  void note_decisions();
  void note(const std::string& pod, const scheduler::Waiting& about, std::string action,
            std::vector<std::string> victims);

  [[nodiscard]] scheduler::ReactorOptions options() const;

  World& world_;
  SchedulerMode mode_ = SchedulerMode::Resize;
  Names yield_to_{};
  std::optional<scheduler::Reactor> reactor_{};
  policy::Time now_{};
  policy::Time born_{};
  std::uint64_t version_ = 0;
  std::map<std::string, Told, std::less<>> told_{};  // by pod
  // The circuit breaker's record, which survives a restart.
  std::optional<scheduler::StoredBreaker> breaker_{};
  std::vector<SchedulerDecision> decisions_{};
  std::vector<ReportedEvent> events_{};
  // Uid and reason of events that exist once per object: an API server rejects a second one.
  std::set<std::pair<std::string, std::string>> once_{};
};

}  // namespace elbowroom::lab
