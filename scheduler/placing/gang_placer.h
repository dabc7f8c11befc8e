// One turn of a gang: nodes for all its waiting members at one moment, or the pods that would have
// to be removed for them. No binding is sent before all that minCount needs have their nodes.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/placement/gang_schedule.h"
#include "scheduler/placing/group_reports.h"
#include "scheduler/placing/nominations.h"
#include "scheduler/placing/pending_reports.h"
#include "scheduler/placing/pod_binder.h"
#include "scheduler/placing/pod_placer.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

class GangPlacer {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must live as long.
  GangPlacer(const ReactorOptions& options, ReactorState& state, Turns& turns,
             PendingReports& reports, Nominations& nominations, PodBinder& binder,
             const ClusterFollower& follower, GroupReports& groups)
      : options_(options),
        state_(state),
        turns_(turns),
        reports_(reports),
        nominations_(nominations),
        binder_(binder),
        follower_(follower),
        groups_(groups) {}

  // `id`: the gang's gang_id().
  [[nodiscard]] PlaceTurn judge(const std::string& id, Waiting& gang);
  // The decision if the same victims would be chosen now, and the gang does not fit without them;
  // else nothing.
  [[nodiscard]] std::optional<policy::GroupSchedulingDecision> decides_again(
      const std::string& id, const std::set<std::string>& victim_uids);
  // The members count as nominated to the nodes of that placement from now on, and are told why
  // they wait. `is_written`: what is assumed already is written, too.
  void nominate(const policy::GroupSchedulingDecision& decision, const policy::PodText& why,
                bool is_written = false);

 private:
  // The gang as it is now, or why it cannot be placed.
  struct Seen {
    policy::Gang gang{};
    std::string obstacle{};
  };
  struct Verdict {
    TurnResult result = TurnResult::Unschedulable;
    policy::PodText message{};
    std::optional<Time> next_look{};
    policy::GroupSchedulingDecision decision{};
  };

  [[nodiscard]] Seen seen(const std::string& id) const;
  [[nodiscard]] std::set<std::string> nodes_of_leaving_victims(const Waiting& gang);
  void clear_infeasible(const std::string& id, Waiting& gang);
  [[nodiscard]] std::vector<std::string> infeasible_of(const std::string& id);
  [[nodiscard]] std::optional<Time> next_deadline(const std::set<std::string>& nodes) const;
  [[nodiscard]] std::optional<Time> next_avoided(const policy::Gang& gang) const;
  [[nodiscard]] policy::ScheduleTerms terms_of(const policy::Gang& gang) const;
  [[nodiscard]] Verdict decide(const Waiting& gang, const Seen& seen);
  void awaits(Verdict& verdict, const policy::Gang& gang) const;
  [[nodiscard]] bool settles(Verdict& verdict, const Waiting& gang);
  [[nodiscard]] policy::GroupSchedulingDecision schedule(const policy::Gang& gang,
                                                         policy::ScheduleTerms& terms) const;
  void strip_leaving(policy::GroupSchedulingDecision& decision) const;
  [[nodiscard]] bool breaker_settles(Verdict& verdict, const Waiting& gang);
  [[nodiscard]] std::vector<policy::Pod> victims_of(
      const policy::GroupSchedulingDecision& decision) const;
  void bind(Waiting& gang, const Verdict& verdict);
  void settle_waiting(const std::string& id, Waiting& gang, const Seen& seen,
                      const Verdict& verdict);
  [[nodiscard]] RemovalRequest preempt_for(const std::string& id, Waiting& gang,
                                           const Verdict& verdict);

  const ReactorOptions& options_;
  ReactorState& state_;
  Turns& turns_;
  PendingReports& reports_;
  Nominations& nominations_;
  PodBinder& binder_;
  const ClusterFollower& follower_;
  GroupReports& groups_;
};

}  // namespace elbowroom::scheduler
