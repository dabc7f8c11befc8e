// The invariants of the design, checked from outside, by an agent's observations, decisions and
// effects. It trusts nothing that the agent reports about itself, except the reports of its
// runtime.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/kept_checkpoint.h"
#include "test/simulation/removal_rate.h"
#include "test/simulation/removal_sets.h"

namespace elbowroom::test {

class Invariants {
 public:
  Invariants(lab::Simulation& simulation, std::string node, bool authority)
      : simulation_(simulation), node_(std::move(node)), authority_(authority) {}

  void restored(const agent::Restored& restored);
  void observed(const agent::Observation& seen);
  void decided(const agent::Effect& effect);
  void performing(const agent::Effect& effect);
  void asked(const api::Request& request);
  void wrote(const lab::CgroupWrite& write);
  // What was found to be wrong elsewhere; "": nothing.
  void hears(const std::string& wrong);
  void open_failed() { kept_.open_failed(); }
  // The disk did not hold what the agent wrote last.
  void checkpoint_rewritten() {
    kept_.rewritten();
    checkpoint_lost();
  }

  // After the faults are over and things had time to settle.
  void check_settled();

  // It took its faults for another writer, and stopped writing; until no write is undone for a
  // while.
  [[nodiscard]] bool has_yielded() const;
  // Then it only has to be silent, and to report that.
  void check_yielded();
  // Further sets of victims that had a cause, by its text.
  [[nodiscard]] const std::map<std::string, std::size_t, std::less<>>& further_sets() const {
    return sets_.causes();
  }
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

 private:
  struct Retries {
    std::deque<std::chrono::milliseconds> failed{};
  };
  // A set of victims, from when it was first decided; `has_gone` once one of them is deleted.
  struct Went {
    std::chrono::milliseconds at{0};
    agent::RemovalIntent intent{};
    bool has_gone = false;
  };

  void on(const agent::NodeSeen& seen);
  void on(const agent::NodeGone& seen);
  void on(const agent::PodSeen& seen);
  void on(const agent::PodGone& seen);
  void on(const agent::PodsListed& seen);
  void on(const agent::PodUnreadable& seen);
  void on(const agent::PodReadableAgain& seen);
  void on(const agent::ApiLost& seen);
  void on(const agent::ApiBack& seen);
  void on(const agent::RuntimeSeen& seen);
  void on(const agent::RuntimeLost& seen);
  void on(const agent::Done& done);
  void on(const agent::Failed& failed);
  void on(const auto& /*seen*/) {}

  // The count of removed pods is lost with it.
  void checkpoint_lost() {
    went_.clear();
    rate_.begin_again();
  }
  void check_progress(std::chrono::milliseconds at);
  void check_cleared(const agent::WriteStatus& write);
  void forget_unshown();
  void check_assumed(const agent::Checkpoint& proposed);
  void check_removals(const agent::Checkpoint& proposed);
  void check_mark(const agent::MarkVictim& mark);
  void check_set(const agent::RemovalIntent& intent);
  void check_actuation(const agent::Actuate& actuate);
  void check_is_latest(const agent::Actuate& actuate, const agent::PodAllocation& promised);
  void check_deletion(const agent::DeleteVictim& deletion);
  void check_settled_pod(const policy::Pod& pod, const policy::Node& node,
                         const std::vector<policy::Pod>& pods, const agent::Checkpoint& disk);
  void check_settled_cgroups(const policy::Pod& pod, const agent::Checkpoint& disk);
  void check_silent(const agent::Effect& effect);
  void check_stranger(const policy::Pod& pod);
  void check_breaker(const agent::RemovalIntent& intent);
  void note_going(const policy::Pod& pod);
  [[nodiscard]] KnownNode known_node() const;
  [[nodiscard]] bool was_asked_to_go(const policy::Pod& pod) const;
  [[nodiscard]] cri::RuntimeResources seen_size(const std::string& uid,
                                                const std::string& name) const;
  void check_stated_reason(const policy::Pod& pod, const policy::Node& node,
                           const std::vector<policy::Pod>& pods);
  void break_(std::string what);

  lab::Simulation& simulation_;
  const std::string node_;
  const bool authority_;

  // What the agent has observed since it started.
  std::chrono::milliseconds now_{0};
  std::optional<policy::Node> seen_node_{};
  std::map<std::string, policy::Pod, std::less<>> pods_{};
  std::set<std::string, std::less<>> unreadable_{};
  bool listed_ = false;
  bool api_lost_ = false;
  bool runtime_lost_ = true;
  std::map<std::string, agent::PodReport, std::less<>> runtime_{};  // by pod uid
  agent::Checkpoint durable_{};
  std::set<std::string, std::less<>> admitted_{};  // uids of pods that the agent has admitted
  std::map<agent::EffectId, agent::Effect> under_way_{};
  std::map<std::string, Retries, std::less<>> retries_{};
  std::map<std::string, std::chrono::milliseconds, std::less<>>
      deferred_since_{};  // uid/generation

  std::size_t seen_at_once_ = 0;  // observations since its clock advanced
  std::map<std::string, std::chrono::milliseconds, std::less<>> asked_to_go_{};  // by uid
  std::map<std::string, std::chrono::milliseconds, std::less<>> overdue_at_{};
  std::map<std::string, std::chrono::milliseconds, std::less<>> allocated_at_{};
  bool is_silent_ = false;                       // it had yielded before what it sees now
  std::size_t said_it_yields_ = 0;               // in words, by an event
  std::set<std::string, std::less<>> chosen_{};  // uids of victims

  // Since the beginning, restarts included.
  KeptCheckpoint kept_{};
  RemovalRate rate_{};
  RemovalSets sets_{};
  std::deque<Went> went_{};
  std::map<std::string, std::int64_t, std::less<>> carried_out_{};  // latest generation, by uid
  std::string disk_text_{};
  agent::Checkpoint disk_{};
  std::set<std::string, std::less<>> checked_{};  // uids whose dry run was answered with yes

  std::vector<std::string> broken_{};
};

// The pods of the world on that node, and the Node, as a daemon would have them.
[[nodiscard]] std::vector<policy::Pod> pods_on(lab::Simulation& simulation,
                                               const std::string& node);
[[nodiscard]] std::optional<policy::Node> node_of(lab::Simulation& simulation,
                                                  const std::string& node);

}  // namespace elbowroom::test
