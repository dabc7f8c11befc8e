// Invariants of pod groups once the faults are over and the cluster had time to settle: a gang that
// has room is placed, one that waits has a true reason, no mark is left without a preemptor that
// waits, and a Deferred resize is not told in vain that no pod may go for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/group_invariants.h"
#include "test/simulation/settled_placing.h"

namespace elbowroom::test {

class SettledGroups {
 public:
  SettledGroups(lab::Simulation& simulation, bool upstream, std::function<void(std::string)> broken)
      : simulation_(simulation), upstream_(upstream), broken_(std::move(broken)) {}

  void check(const SettledLeader& leader, const std::vector<std::string>& nodes);

 private:
  struct Look {
    const SettledLeader& leader;
    const policy::PodGroup& group;
    const GangSeen& gang;
    const scheduler::Waiting& said;
    PlainMoment moment{};
  };

  void check_marks(const SettledLeader& leader, const SettledWorld& world);
  void check_gang(const SettledLeader& leader, const SettledWorld& world,
                  const policy::PodGroup& group);
  void check_resizes(const SettledLeader& leader, const SettledWorld& world);
  // "": what is said of the gang is true.
  [[nodiscard]] std::string untruth(const Look& look) const;
  [[nodiscard]] std::string untruth_of_nominations(const Look& look) const;
  [[nodiscard]] bool would_help(const Look& look) const;

  lab::Simulation& simulation_;
  const bool upstream_;
  const std::function<void(std::string)> broken_;
};

}  // namespace elbowroom::test
