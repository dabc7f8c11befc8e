// One turn of a pending pod: the node that admits it, or the pods that would have to be removed for
// it, and what is reported to its owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "policy/placement/schedule.h"
#include "scheduler/placing/group_reports.h"
#include "scheduler/placing/nominations.h"
#include "scheduler/placing/pending_reports.h"
#include "scheduler/placing/pod_binder.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

// What a turn decides.
struct PlaceVerdict {
  TurnResult result = TurnResult::Unschedulable;
  policy::PodText message{};
  std::optional<std::chrono::milliseconds> next_look{};
  policy::SchedulingDecision decision{};
  std::size_t nodes_looked_at = 0;  // a search for victims counts as often as it takes longer
  std::string signature{};          // of the pods that share the refusal; "": it shares none
};

struct PlaceTurn {
  std::optional<RemovalRequest> removal{};  // is to begin now
  std::size_t nodes_looked_at = 0;
};

class PodPlacer {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must live as long.
  PodPlacer(const ReactorOptions& options, ReactorState& state, Turns& turns,
            PendingReports& reports, Nominations& nominations, PodBinder& binder,
            GroupReports& groups)
      : options_(options),
        state_(state),
        turns_(turns),
        reports_(reports),
        nominations_(nominations),
        binder_(binder),
        groups_(groups) {}

  [[nodiscard]] PlaceTurn judge(const std::string& key, Waiting& pod);
  // The decision if the same victims would be chosen on that node now, and no node admits the pod
  // without them; else nothing.
  [[nodiscard]] std::optional<policy::SchedulingDecision> decides_again(
      const policy::Pod& seen, const std::string& node, const std::set<std::string>& victim_uids);

 private:
  // What the circuit breaker has held up in a turn, node by node.
  struct HeldUp {
    std::optional<Time> until{};  // when it allows the first of them
    policy::PodText words{};
  };

  [[nodiscard]] PlaceVerdict decide(const Waiting& pod, const policy::Pod& seen);
  [[nodiscard]] PlaceVerdict place_or_preempt(const Waiting& pod, const policy::Pod& seen,
                                              policy::ScheduleTerms terms);
  [[nodiscard]] std::optional<Time> next_when_leaving(const policy::Pod& seen,
                                                      std::span<const policy::Pod> leaving) const;
  void await(PlaceVerdict& verdict, const policy::Pod& seen, const policy::ScheduleTerms& terms,
             const HeldUp& held_up, bool may_search);
  void refuse(PlaceVerdict& verdict, const Waiting& pod, const policy::Pod& seen,
              const policy::ScheduleTerms& terms, const HeldUp& held_up, bool may_search);
  [[nodiscard]] bool settles(PlaceVerdict& verdict, const Waiting& pod, const policy::Pod& seen,
                             HeldUp& held_up, bool is_last);
  [[nodiscard]] bool breaker_settles(PlaceVerdict& verdict, const Waiting& pod,
                                     const policy::Pod& seen, HeldUp& held_up, bool is_last);
  [[nodiscard]] std::optional<CircuitBreaker::Answer> allowed_for(
      const policy::SchedulingDecision& decision, const std::string& preemptor) const;
  [[nodiscard]] bool strip_leaving(policy::SchedulingDecision& decision) const;
  [[nodiscard]] bool has_twins(const std::string& node);
  [[nodiscard]] std::string being_cleared(const policy::SchedulingDecision& decision) const;
  // Its claims keep it off every node.
  [[nodiscard]] bool lacks_claims(const policy::Pod& seen) const;
  [[nodiscard]] std::optional<RemovalRequest> settle(const std::string& key, Waiting& pod,
                                                     const policy::Pod& seen, PlaceVerdict verdict);
  void settle_waiting(const std::string& key, Waiting& pod, const policy::Pod& seen,
                      const PlaceVerdict& verdict);
  void tell_dry_run(const std::string& key, Waiting& pod, const policy::Pod& seen,
                    const PlaceVerdict& verdict);
  [[nodiscard]] std::optional<std::string> nominate(Waiting& pod, const policy::Pod& seen,
                                                    const PlaceVerdict& verdict);
  [[nodiscard]] RemovalRequest preempt_for(const std::string& key, Waiting& pod,
                                           const policy::Pod& seen, const PlaceVerdict& verdict);

  const ReactorOptions& options_;
  ReactorState& state_;
  Turns& turns_;
  PendingReports& reports_;
  Nominations& nominations_;
  PodBinder& binder_;
  GroupReports& groups_;
};

}  // namespace elbowroom::scheduler
