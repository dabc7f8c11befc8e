// Invariants of pending pods once the faults are over and the cluster had time to settle: no pod
// that fits waits, no pod waits although victims would help, and the stated reasons are true. It is
// computed plainly from the API server's state; only how long a pod counts as terminating or as
// evicted comes from the leader's observations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/assumed_seen.h"
#include "test/simulation/cause_of_sets.h"
#include "test/simulation/plain_placing.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

// The scheduler that leads, and what it could know.
struct SettledLeader {
  std::string name{};
  const SchedulerMirror& mirror;
  const AssumedSeen& assumed;
  const CauseOfSets& causes;
};

// The API server's pods, with what their groups say, and its groups by key.
struct SettledWorld {
  std::vector<policy::Node> nodes{};
  std::vector<policy::Pod> pods{};
  std::map<std::string, policy::PodGroup> groups{};
};
[[nodiscard]] SettledWorld settled_world(lab::Simulation& simulation,
                                         const std::vector<std::string>& names);
[[nodiscard]] PlainMoment settled_moment(const SettledLeader& leader, const SettledWorld& world,
                                         const policy::Pod& asking, bool upstream);
enum class RefusedPods : std::uint8_t { Stay, MayGo };
// The pods that may be removed for one of that priority, and those that leave; a pod of a group
// that goes as one only with all others. A node that keeps an overdue victim, or does not answer,
// loses no pod. One whose removal was refused may be tried again, or not yet.
[[nodiscard]] Uids removable_below(const SettledLeader& leader, const PlainMoment& moment,
                                   std::int32_t priority, RefusedPods refused = RefusedPods::Stay);

class SettledPlacing {
 public:
  using Leader = SettledLeader;

  SettledPlacing(lab::Simulation& simulation, bool upstream,
                 std::function<void(std::string)> broken)
      : simulation_(simulation), upstream_(upstream), broken_(std::move(broken)) {}

  void check(const Leader& leader, const std::vector<std::string>& names);

 private:
  struct Look {
    const Leader& leader;
    const policy::Pod& pod;
    const scheduler::Waiting& said;
    PlainMoment moment{};
  };

  [[nodiscard]] static Look as_told(const Look& look, const policy::Condition& told);
  // "": what is reported of it is true.
  [[nodiscard]] std::string untruth(const Look& look) const;
  [[nodiscard]] std::string untruth_of_refusal(const Look& look) const;
  [[nodiscard]] std::string untruth_of_nobody(const Look& look) const;
  [[nodiscard]] bool would_help(const Look& look, const policy::Node& node,
                                RefusedPods refused) const;
  [[nodiscard]] bool has_a_wall(const PlainMoment& moment, const std::string& node) const;

  lab::Simulation& simulation_;
  const bool upstream_;
  const std::function<void(std::string)> broken_;
};

}  // namespace elbowroom::test
