// Records what a scheduler in virtual time decides, for a timeline: each decision once, however
// often it is repeated. It follows the hooks of a simulation. A binding and a nomination are not
// recorded here: they change the pod.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/world/world.h"
#include "scheduler/effect.h"
#include "scheduler/reactor.h"

namespace elbowroom::cli {

// A decision about one pod: Preempt, Park (it fits and waits for the node), Await (room is on its
// way, or the node makes it) or Unschedulable.
struct SchedulerDecision {
  std::uint64_t version = 0;  // of the world at the decision
  std::string action{};
  std::string pod{};  // NAMESPACE/NAME; of a gang the group's
  std::string node{};
  std::vector<std::string> victims{};
  std::string why{};

  friend bool operator==(const SchedulerDecision&, const SchedulerDecision&) = default;
};

// The scheduler's latest result for a pod; `result` has the names of metrics and /explain.
struct Judgement {
  std::string result{};
  std::string message{};
};

class DecisionLog {
 public:
  // `world` must outlive it.
  explicit DecisionLog(const lab::World& world) : world_(world) {}

  // The scheduler is about to handle an observation; the effects of the last one are all known.
  void begin(const scheduler::Reactor& reactor) { note_removals(reactor); }
  // It decided this effect, which is not performed yet.
  void add(const scheduler::Effect& effect);
  // It has handled all that happened at this time.
  void end(const scheduler::Reactor& reactor);
  // It starts again: what it decides then counts as new.
  void restart() { told_.clear(); }

  // Returns the decisions since the last call, oldest first.
  [[nodiscard]] std::vector<SchedulerDecision> take() { return std::exchange(decisions_, {}); }

 private:
  struct Told {
    std::string uid{};
    std::int64_t generation = 0;
    std::string action{};
    std::string why{};
  };
  struct Removal {
    std::uint64_t version = 0;
    std::vector<std::string> victims{};
  };

  void note_removals(const scheduler::Reactor& reactor);
  void note(const std::string& pod, const scheduler::Waiting& about, SchedulerDecision decision);
  [[nodiscard]] bool leaves(const std::string& pod) const;

  const lab::World& world_;
  std::map<std::string, Removal> removals_{};        // of one observation, by the preemptor's uid
  std::map<std::string, Told, std::less<>> told_{};  // by pod
  std::vector<SchedulerDecision> decisions_{};
};

}  // namespace elbowroom::cli
