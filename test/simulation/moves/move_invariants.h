// What holds of the reschedulers' moves at every step, whatever happens. It looks at the cluster
// and at the requests, and calls nothing of the code that it judges.
//
//   each eviction   by the leader; with a uid; of a pod that may be moved, off a node that takes
//                   pods; after its debit in each DisruptionBudget, with an entry on its node;
//                   within every budget, rate, reserve and limit; while its owner does not rest
//   each move       landed_moves.h
//   what remains    move_traces.h
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/transport/http.h"
#include "lab/virtual/simulation.h"
#include "rescheduler/effect.h"
#include "rescheduler/observation.h"
#include "test/simulation/moves/landed_moves.h"
#include "test/simulation/moves/move_history.h"
#include "test/simulation/moves/move_traces.h"

namespace elbowroom::test {

class MoveInvariants {
 public:
  using Span = lab::Simulation::Span;

  // All must outlive it. `counts`: what happened, by name.
  MoveInvariants(lab::Simulation& simulation, const MoveHistory& history,
                 std::map<std::string, std::size_t>& counts);

  // `who`: the identity of a process.
  void asked(const std::string& who, const api::Request& request);
  void observed(const std::string& who, const rescheduler::Observation& seen);
  void decided(const std::string& who, const rescheduler::Effect& effect);
  void ended(const std::string& who);
  void world_changed();

  // Another program evicts the pod.
  void evicted_by_other(const std::string& uid);
  void rests_lost() { rests_lost_ = simulation_.elapsed(); }
  // From now on there is a configuration, or there is none.
  void configured(bool is) {
    off_since_ = is ? std::nullopt : std::optional(off_since_.value_or(simulation_.elapsed()));
  }
  // A fault: a watch may lag for long, and what is on its way may be lost.
  void disturbed(bool lags);

  void check_at_end();
  void fail(const std::string& what);
  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }
  [[nodiscard]] std::optional<Span> last_move() const { return landed_.last(); }
  // Passes that moved something.
  [[nodiscard]] std::size_t passes() const;

 private:
  struct Removal {  // of a pod, in any budget's terms
    Span at{0};
    lab::Json pod{};
    bool is_ours = false;
    std::string from{};
  };
  struct KnownBudget {
    std::string spec{};
    Span since{0};
  };

  [[nodiscard]] const lab::World& world() const { return simulation_.world(); }
  [[nodiscard]] bool is_recent(Span at) const;
  void evicts(const std::string& who, const std::string& name, const std::string& body);
  [[nodiscard]] SeenMove move_of(const lab::Json& pod) const;
  [[nodiscard]] std::optional<std::string> one_waiting() const;
  void check_process(const std::string& who, const lab::Json& pod);
  void check_pod(const lab::Json& pod);
  void check_owner(const SeenMove& move);
  void check_limits(const SeenMove& move);
  void check_budgets(const lab::Json& pod);
  void check_own_budget(const lab::Json& budget, const lab::Json& pod);
  void check_rate(const lab::Json& budget, const std::string& what);
  void confirm_evictions();
  void look_at_nodes();
  void look_at_budgets();
  void look_at_pods();
  [[nodiscard]] std::vector<lab::ChangedObject> changed(const lab::Kind& kind) const;

  lab::Simulation& simulation_;
  const MoveHistory& history_;
  std::map<std::string, std::size_t>& counts_;
  std::vector<std::string> broken_{};
  LandedMoves landed_;
  MoveTraces traces_;
  std::uint64_t version_ = 0;
  std::int64_t pass_ = 0;                     // records of rests that were written
  std::vector<SeenMove> asked_for_{};         // evictions of this step, not known to be done
  std::deque<Removal> removals_{};            // of pods by evictions, oldest first
  std::map<std::string, Span> node_since_{};  // when its readiness last changed, by name
  std::map<std::string, std::string> node_state_{};
  std::map<std::string, KnownBudget> budgets_{};   // by name
  std::map<std::string, lab::Json> pods_{};        // as they were last, by uid
  std::map<std::string, Span> unhealthy_since_{};  // of pods, by another cause, by app
  std::map<std::pair<std::string, control::EffectId>, std::string> evictions_{};  // uids
  Span rests_lost_{-1};
  std::optional<Span> off_since_{};
  Span lags_until_{0};
};

}  // namespace elbowroom::test
