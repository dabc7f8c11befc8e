// The invariants of making room, checked from outside: by what a scheduler was told, what it
// decided and what reached the API server. The one thing to know: each scheduler has a mirror here
// of what it was told, and two sets for one resize are compared by what their deciders had seen.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/simulation.h"
#include "policy/removal_mark.h"

namespace elbowroom::test {

class SchedulerInvariants {
 public:
  SchedulerInvariants(lab::Simulation& simulation, bool upstream,
                      std::set<std::string, std::less<>> yields_to)
      : simulation_(simulation), upstream_(upstream), yields_to_(std::move(yields_to)) {}

  // A new process of that name begins.
  void began(const std::string& name);
  void observed(const std::string& name, const scheduler::Observation& seen);
  void decided(const std::string& name, const scheduler::Effect& effect);
  void asked(const std::string& name, const api::Request& request);
  // A step of the API refused, or did not answer, for that scheduler: its steps may be half done.
  // After the faults are over and things had time to settle.
  void check_settled(const std::vector<std::string>& schedulers,
                     const std::vector<std::string>& nodes);

  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }

 private:
  using Time = std::chrono::milliseconds;  // since the process began
  using Intent = policy::RemovalMark;

  struct Going {  // a terminating pod, since it was seen so
    policy::Time deadline{};
    Time overdue{0};
  };
  struct Deferred {
    std::int64_t generation = 0;
    Time since{0};
  };
  // What one process was told, and what it was answered.
  struct Mirror {
    Time now{0};
    std::size_t at_once = 0;
    std::map<std::string, policy::Node, std::less<>> nodes{};
    std::map<std::string, policy::Pod, std::less<>> pods{};  // by key
    std::set<scheduler::Collection> listed{};
    std::set<scheduler::Collection> lost{};
    std::map<std::string, Going, std::less<>> going{};        // by uid
    std::map<std::string, Deferred, std::less<>> deferred{};  // by uid
    std::map<std::string, Time, std::less<>> shrinking{};     // by uid, since when
    std::map<scheduler::EffectId, scheduler::Effect> under_way{};
    std::map<std::string, Intent, std::less<>> marked{};          // by uid, with an answer
    std::set<std::string, std::less<>> checked{};                 // uids whose dry run passed
    std::map<std::string, Time, std::less<>> deleted{};           // by uid, accepted
    std::map<std::string, std::deque<Time>, std::less<>> sets{};  // by uid
    std::map<std::string, std::deque<std::pair<Time, std::size_t>>, std::less<>> losses{};  // node
    std::deque<std::pair<Time, std::string>> failed{};  // writes, by what they were about
    std::vector<scheduler::Effect> batch{};             // of the observation at hand
  };
  // The room of a node as the one who chose a set had seen it.
  struct Room {
    policy::Node node{};
    std::map<std::string, policy::Pod, std::less<>> pods{};  // by uid
    std::set<std::string, std::less<>> overdue{};
    std::set<std::string, std::less<>> stuck{};
    std::set<std::string, std::less<>> nominated{};  // as text
  };
  struct Chosen {
    std::set<std::string, std::less<>> uids{};
    Room room{};
  };

  void on(Mirror& mirror, const scheduler::NodesListed& seen);
  void on(Mirror& mirror, const scheduler::NodeSeen& seen);
  void on(Mirror& mirror, const scheduler::NodeGone& seen);
  void on(Mirror& mirror, const scheduler::PodsListed& seen);
  void on(Mirror& mirror, const scheduler::PodSeen& seen);
  void on(Mirror& mirror, const scheduler::PodGone& seen);
  void on(Mirror& mirror, const scheduler::BudgetsListed& seen);
  void on(Mirror& mirror, const scheduler::Lost& seen);
  void on(Mirror& mirror, const scheduler::Back& seen);
  void on(Mirror& mirror, const scheduler::Done& seen);
  void on(Mirror& mirror, const scheduler::Failed& seen);
  void on(Mirror& /*mirror*/, const auto& /*seen*/) {}
  void learn(Mirror& mirror, const policy::Pod& pod);
  void forget(Mirror& mirror, std::string_view key);

  void check_progress(const std::string& name, Mirror& mirror, Time at);
  void check_batch(const std::string& name, Mirror& mirror);
  void check_mark(const Mirror& mirror, const scheduler::MarkVictim& mark);
  void check_set(const std::string& name, Mirror& mirror, const std::string& node,
                 const std::vector<const policy::Pod*>& victims);
  void check_victim(const Mirror& mirror, const policy::Pod& preemptor, const policy::Pod& victim);
  void check_turn(const std::string& name, const Mirror& mirror, const policy::Pod& preemptor);
  void check_need(const Mirror& mirror, const policy::Pod& preemptor,
                  const std::vector<const policy::Pod*>& victims);
  void check_cause(const Mirror& mirror, const policy::Pod& preemptor,
                   const std::vector<const policy::Pod*>& victims);
  void check_breaker(Mirror& mirror, const policy::Pod& preemptor, std::size_t victims);
  [[nodiscard]] static std::string node_of_victim(const Mirror& mirror,
                                                  const scheduler::Victim& victim);
  [[nodiscard]] std::optional<Intent> intent_of(const Mirror& mirror,
                                                const policy::Pod& victim) const;
  [[nodiscard]] Room room_of(const Mirror& mirror, const std::string& node) const;
  [[nodiscard]] static std::string cause_between(const Room& before, const Room& now,
                                                 const policy::Pod& preemptor,
                                                 const std::set<std::string, std::less<>>& chosen,
                                                 const Mirror& mirror);
  [[nodiscard]] const policy::Pod* find(const Mirror& mirror, std::string_view uid) const;

  void check_settled_node(const scheduler::Reactor& leader, const std::string& node);
  void check_stated(const scheduler::Reactor& leader, const policy::Node& node,
                    const std::vector<policy::Pod>& pods, const policy::Pod& pod);

  void break_(std::string what);

  lab::Simulation& simulation_;
  const bool upstream_;
  const std::set<std::string, std::less<>> yields_to_;
  std::map<std::string, Mirror, std::less<>> mirrors_{};
  // Since the beginning, restarts included.
  std::map<std::pair<std::string, std::int64_t>, std::vector<Chosen>> chosen_{};
  std::vector<std::string> broken_{};
};

}  // namespace elbowroom::test
