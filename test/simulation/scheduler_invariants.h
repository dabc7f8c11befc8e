// The invariants of making room, checked from outside: by a scheduler's observations, its decisions
// and the requests that reached the API server. Each scheduler has a mirror of its observations
// here, and its decision at one observation is checked before the next.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/budget_invariants.h"
#include "test/simulation/group_invariants.h"
#include "test/simulation/placing_invariants.h"
#include "test/simulation/removal_invariants.h"
#include "test/simulation/request_invariants.h"
#include "test/simulation/scheduler_mirror.h"
#include "test/simulation/settled_groups.h"
#include "test/simulation/settled_invariants.h"
#include "test/simulation/settled_placing.h"
#include "test/simulation/whole_groups.h"

namespace elbowroom::test {

class SchedulerInvariants {
 public:
  // What happened within a while, and when.
  using Lately = std::deque<std::pair<std::chrono::milliseconds, std::string>>;
  struct Rules {
    bool upstream = false;
    bool places = false;   // pending pods
    bool groups = false;   // there are pod groups
    bool budgets = false;  // there are DisruptionBudgets
    std::set<std::string, std::less<>> yields_to{};
  };
  SchedulerInvariants(lab::Simulation& simulation, Rules rules);
  SchedulerInvariants(const SchedulerInvariants&) = delete;
  SchedulerInvariants& operator=(const SchedulerInvariants&) = delete;

  // A new process of that name begins.
  void began(const std::string& name);
  void observed(const std::string& name, const scheduler::Observation& seen);
  void decided(const std::string& name, const scheduler::Effect& effect);
  void asked(const std::string& name, const api::Request& request);
  // After the faults are over and things had time to settle.
  // What was found to be wrong elsewhere; "": nothing.
  void hears(const std::string& wrong) {
    if (!wrong.empty()) break_(wrong);
  }
  // Another program of ours has the API server remove that pod.
  void removes(const std::string& uid) { budgets_.asked_to_remove(uid); }
  void check_refunds() { budgets_.check_refunds(); }
  void world_changed() {
    if (rules_.groups) whole_groups_.world_changed();
    if (rules_.budgets) budgets_.world_changed();
  }
  void check_settled(const std::vector<std::string>& schedulers,
                     const std::vector<std::string>& nodes);

  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

 private:
  using Time = SchedulerMirror::Time;
  struct Process {
    SchedulerMirror mirror{};
    std::vector<scheduler::Effect> decided{};  // by the observation at hand
    std::size_t at_once = 0;                   // observations without time passing
    Lately failed{};                           // writes, by what they were about
    Lately marked{};                           // pods, by their uids
  };

  void check_decisions(const std::string& name, Process& process);
  void check_pace(const std::string& name, Process& process, const scheduler::Observation& seen);
  void check_failure(Process& process, Time now, scheduler::EffectId effect);
  void check_mark(const std::string& name, Process& process, const scheduler::MarkVictim& mark);
  void break_(std::string what);

  lab::Simulation& simulation_;
  const Rules rules_;
  std::vector<std::string> broken_{};
  PlacingInvariants placing_;
  GroupInvariants groups_;
  RemovalInvariants removals_;
  RequestInvariants requests_;
  SettledInvariants settled_;
  SettledPlacing settled_placing_;
  SettledGroups settled_groups_;
  WholeGroups whole_groups_;
  BudgetInvariants budgets_;
  std::map<std::string, Process, std::less<>> processes_{};
};

}  // namespace elbowroom::test
