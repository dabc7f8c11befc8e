// Invariants once the faults are over and the cluster had time to settle: one scheduler leads,
// every resize has ended or has a stated reason that a fresh check confirms, and no stale mark is
// left. The fresh check uses the API server's state, not what was observed of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/cause_of_sets.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

class SettledInvariants {
 public:
  SettledInvariants(lab::Simulation& simulation, bool upstream,
                    std::function<void(std::string)> broken)
      : simulation_(simulation), upstream_(upstream), broken_(std::move(broken)) {}

  // The name of the one that leads; "": it is not one.
  [[nodiscard]] std::string check_leader(const std::vector<std::string>& schedulers);
  void check_node(const std::string& leader, const SchedulerMirror& mirror,
                  const CauseOfSets& causes, const std::string& node);

 private:
  struct Look {
    std::string leader{};
    const SchedulerMirror& mirror;
    const CauseOfSets& causes;
    const policy::Node& node;
    const std::vector<policy::Pod>& pods;
  };

  [[nodiscard]] bool stands_for_pending(const std::string& leader, const policy::Node& node,
                                        const policy::Pod& marked) const;
  void check_marks(const std::string& leader, const policy::Node& node,
                   const std::vector<policy::Pod>& pods);
  void check_stated(const Look& look, const policy::Pod& pod);
  [[nodiscard]] policy::Unremovable refused_on(const Look& look) const;
  [[nodiscard]] std::string disagreement(const Look& look, const policy::Pod& pod,
                                         const scheduler::Waiting& said);

  lab::Simulation& simulation_;
  const bool upstream_;
  const std::function<void(std::string)> broken_;
};

}  // namespace elbowroom::test
