// The observations and answers of one scheduler process, recorded beside it. It is built from the
// process's own observations and effects, so it knows exactly what the process could know, and is
// reset when the process ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "policy/model/removal_mark.h"
#include "policy/preemption/room_on_its_way.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::test {

class SchedulerMirror {
 public:
  using Time = std::chrono::milliseconds;  // since the process began
  using Intent = policy::RemovalMark;

  // What is waited for on one pod, from first sight.
  struct Waits {
    std::optional<Time> deferred{};  // since
    std::int64_t deferred_generation = 0;
    std::optional<Time> said_deferred{};  // of any generation, since
    std::optional<policy::Time> deletion{};
    Time overdue{0};                  // from then on
    std::optional<Time> actuating{};  // has more than is allocated, since
    policy::Resources promised{};
    std::optional<Time> unjudged{};  // asks for less, since
    std::int64_t unjudged_generation = 0;
  };

  // Before the process handles it.
  void take_in(const scheduler::Observation& seen);
  void decided(const scheduler::Effect& effect) { under_way[effect.id] = effect; }

  [[nodiscard]] const policy::Pod* find(std::string_view uid) const;
  [[nodiscard]] const policy::PodGroup* find_group(std::string_view uid) const;
  // Since when that pod waits for room for its resize as it is now.
  [[nodiscard]] std::optional<Time> deferred_since(const policy::Pod& pod) const;
  // Since when its node says Deferred of it, whatever size it asks for.
  [[nodiscard]] std::optional<Time> said_deferred_since(const policy::Pod& pod) const;
  // The preemptors that the pod may be a victim of: the mark answered last, and the mark it
  // carries.
  [[nodiscard]] std::vector<Intent> intents_of(const policy::Pod& victim) const;
  // Its delete was accepted, and no watch need have shown it yet.
  [[nodiscard]] bool was_asked_to_go(const std::string& uid) const;
  // Of those bound to the node, by what the process saw first and when.
  [[nodiscard]] policy::OverduePods lapsed_on(std::string_view node) const;
  [[nodiscard]] bool sees_all() const { return lost.empty() && listed.size() >= collections; }
  // Holds a pod that cannot be understood, and never was.
  [[nodiscard]] bool is_unclear(std::string_view node) const;

  std::size_t collections = 5;  // that it follows
  Time now{0};
  std::map<std::string, policy::Node, std::less<>> nodes{};
  std::map<std::string, policy::Pod, std::less<>> pods{};  // by key, with what their groups say
  std::map<std::string, policy::PodGroup, std::less<>> groups{};  // by key
  std::map<std::string, Waits, std::less<>> waits{};              // by key
  std::map<std::string, std::string, std::less<>> unclear{};      // nodes, by key of the pod
  std::set<scheduler::Collection> listed{};
  std::set<scheduler::Collection> lost{};
  std::map<scheduler::EffectId, scheduler::Effect> under_way{};
  std::map<std::string, Intent, std::less<>> marked{};          // by uid, with an answer
  std::set<std::string, std::less<>> checked{};                 // uids whose dry run passed
  std::map<std::string, policy::Pod, std::less<>> confirmed{};  // by uid, as it was answered
  std::map<std::string, policy::PodGroup, std::less<>> confirmed_groups{};  // the same of groups
  std::map<std::string, Time, std::less<>> deleted{};                       // by uid, accepted
  std::set<std::string, std::less<>>
      refused{};  // uids of pods whose removal was refused, by the answers
  std::set<std::string, std::less<>>
      not_removed{};  // uids of pods whose delete did nothing, by the answers

 private:
  void on(const scheduler::NodesListed& seen);
  void on(const scheduler::NodeSeen& seen);
  void on(const scheduler::NodeGone& seen);
  void on(const scheduler::PodsListed& seen);
  void on(const scheduler::PodSeen& seen);
  void on(const scheduler::PodGone& seen);
  void on(const scheduler::BudgetsListed& seen);
  void on(const scheduler::OwnBudgetsListed& seen);
  void on(const scheduler::NamespacesListed& seen);
  template <policy::SelectingKind kOf>
  void on(const control::Listed<scheduler::SelectingOf<kOf>>& /*seen*/) {
    listed.insert(scheduler::collection_of(kOf));
  }
  void on(const scheduler::PodGroupsListed& seen);
  void on(const scheduler::PodGroupSeen& seen);
  void on(const scheduler::PodGroupGone& seen);
  void on(const scheduler::Unreadable& seen);
  void on(const scheduler::Lost& seen);
  void on(const scheduler::Back& seen);
  void on(const scheduler::Done& seen);
  void on(const scheduler::Failed& seen);
  void on(const auto& /*seen*/) {}
  void learn(const policy::Pod& pod);
  void forget(std::string_view key);
  void ask_groups(policy::Pod& pod) const;
  void ask_groups();
};

[[nodiscard]] std::string key_of(const scheduler::Victim& victim);

// It carries the mark of a scheduler of ours.
[[nodiscard]] bool is_ours(const policy::Pod& pod);

// True where `a` has more of something than `b`.
[[nodiscard]] bool has_more(const policy::Resources& a, const policy::Resources& b);

}  // namespace elbowroom::test
