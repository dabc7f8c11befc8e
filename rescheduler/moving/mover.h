// Carries moves out: each is asked of the server, its node avoided, its budgets debited, its pod
// evicted, one step after the other; what was written for a pod that is not evicted is taken back.
// A few go at once, and never two of one owner: a pass has one of each.
//
//   start() --> Asking --> Avoiding --> Debiting --> Evicting --> MoveEnd: Evicted
//                 |           |            |            |
//                 `-----------+------------+------------`--> MoveEnd: Blocked, Failed, Unknown
//
// Where it is not known whether the pod is evicted, everything stays: the ledger's own rule takes a
// debit back whose pod lives on, and the entry of the node ends by itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/debit_queue.h"
#include "policy/model/pod.h"
#include "policy/moves/move_plan.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/outbox.h"
#include "rescheduler/removal/ledgers.h"
#include "rescheduler/turn.h"

namespace elbowroom::rescheduler {

// What came of a move that was begun.
struct MoveEnd {
  enum class Result { Evicted, Blocked, Failed, Unknown };

  policy::Move move{};
  policy::Pod pod{};  // as it was before
  Result result = Result::Failed;
  std::string why{};     // where it was not evicted: in words
  policy::Time asked{};  // when its eviction was asked for, in whole seconds
};

class Mover {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr std::size_t kAtOnce = 4;

  // All must outlive it.
  Mover(const ClusterState& cluster, Outbox& outbox, Ledgers& ledgers)
      : cluster_(cluster), outbox_(outbox), ledgers_(ledgers) {}

  void start(std::vector<policy::Move> moves, std::chrono::seconds avoid_for);
  // Begins what is next, and follows the ledgers' verdicts.
  void work(const Turn& turn, const std::vector<cluster::DebitQueue::Verdict>& verdicts);
  void step_done(const MoveStep& step, const Turn& turn);
  void step_failed(const MoveStep& step, const Error& error, const Turn& turn);
  // Another leader goes on: nothing more is sent.
  void forget_all();

  [[nodiscard]] std::vector<MoveEnd> take_ends();
  [[nodiscard]] bool is_idle() const { return waiting_.empty() && moving_.empty(); }
  [[nodiscard]] std::size_t moving() const { return moving_.size(); }

 private:
  enum class Stage { Asking, Avoiding, Debiting, Evicting };
  struct Moving {
    policy::Move move{};
    policy::Pod pod{};
    Stage stage = Stage::Asking;
    Ledgers::Removal removal = 0;
    std::set<cluster::BudgetName> debiting{};
    bool is_avoided = false;
    int conflicts = 0;
    policy::Time asked{};
  };

  void begin(policy::Move move, const Turn& turn);
  void avoid(const Moving& moving, const Turn& turn);
  void debit(Moving& moving, const Turn& turn);
  void evict(Moving& moving, const Turn& turn);
  void take(const cluster::DebitQueue::Verdict& verdict, const Turn& turn);
  void end(const std::string& uid, MoveEnd::Result result, std::string why, const Turn& turn);
  void undo(const Moving& moving, const Turn& turn);

  const ClusterState& cluster_;
  Outbox& outbox_;
  Ledgers& ledgers_;
  std::chrono::seconds avoid_for_{0};
  std::deque<policy::Move> waiting_{};
  std::map<std::string, Moving, std::less<>> moving_{};  // by uid
  std::vector<MoveEnd> ends_{};
};

}  // namespace elbowroom::rescheduler
