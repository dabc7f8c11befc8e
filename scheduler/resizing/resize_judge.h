// One turn of a Deferred resize: which pods would have to be removed for it, whether it is our turn
// to remove them, and what is reported to its owner. It unpacks one node.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "policy/preemption/resize_preemption.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

// What a turn decides; `plan` points into the node's view.
struct ResizeVerdict {
  TurnResult result = TurnResult::Unknown;
  policy::PodText message{};
  std::optional<std::chrono::milliseconds> next_look{};
  std::optional<std::chrono::milliseconds> until{};  // when the reason to wait is over, if known
  policy::ResizePreemption plan{};
};

class ResizeJudge {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must live as long.
  ResizeJudge(const ReactorOptions& options, ReactorState& state, Turns& turns)
      : options_(options), state_(state), turns_(turns) {}

  // The pod's turn. Returns the removal that is to begin now, if any; else the pod is parked.
  [[nodiscard]] std::optional<RemovalRequest> judge(const std::string& key, Waiting& pod);
  // Decides and changes nothing.
  [[nodiscard]] ResizeVerdict decide(const Waiting& pod, const cluster::NodeView& view) const;

 private:
  using Verdict = ResizeVerdict;

  [[nodiscard]] Verdict preempt_or_wait(const Waiting& pod, const cluster::NodeView& view,
                                        policy::ResizePreemption plan) const;
  [[nodiscard]] std::optional<Verdict> yields(const Waiting& pod, const policy::Pod& preemptor,
                                              const cluster::NodeView& view,
                                              std::string_view reader) const;
  [[nodiscard]] std::optional<Verdict> yields_for_one_before(const Waiting& pod,
                                                             const cluster::NodeView& view) const;
  [[nodiscard]] bool yields_to(const policy::Pod& pod) const;
  [[nodiscard]] std::optional<Verdict> held_up_by_breaker(
      const Waiting& pod, const cluster::NodeView& view,
      const policy::ResizePreemption& plan) const;
  [[nodiscard]] std::optional<Verdict> waits_for_mark(const policy::ResizePreemption& plan) const;
  [[nodiscard]] policy::NodeMoment moment_of(const Waiting& pod, const cluster::NodeView& view,
                                             const policy::OverduePods& lapsed,
                                             const policy::Unremovable& unremovable) const;
  [[nodiscard]] policy::Unremovable unremovable_for(const Waiting& pod,
                                                    const cluster::NodeView& view) const;
  [[nodiscard]] policy::PodText refused_in_words(const std::string& node,
                                                 std::string_view reader) const;
  [[nodiscard]] policy::PodText groups_in_words(const policy::ResizePreemption& plan,
                                                std::string_view reader) const;
  [[nodiscard]] std::optional<RemovalRequest> settle(const std::string& key, Waiting& pod,
                                                     const cluster::NodeView& view,
                                                     Verdict verdict);
  void settle_waiting(const std::string& key, Waiting& pod, OwnerEvent note, Verdict verdict);
  [[nodiscard]] std::optional<policy::Time> told_time(const Waiting& pod,
                                                      const cluster::NodeView& view,
                                                      const Verdict& verdict) const;
  void note_fit(const std::string& key, Waiting& pod, const cluster::NodeView& view);

  [[nodiscard]] Time now() const { return state_.time(); }
  [[nodiscard]] const RoomDeadlines& deadlines() const { return state_.cluster.deadlines(); }
  [[nodiscard]] const RefusedRemovals& refusals() const { return state_.cluster.refusals(); }

  const ReactorOptions& options_;
  ReactorState& state_;
  Turns& turns_;
};

}  // namespace elbowroom::scheduler
