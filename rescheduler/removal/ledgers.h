// The debits that this replica writes into the ledgers of DisruptionBudgets before pods go, for
// whatever reason they go. All budgets over a pod are walls here, hard or not: what is removed
// could as well stay.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cluster/debit_queue.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/outbox.h"

namespace elbowroom::rescheduler {

class Ledgers {
 public:
  using Removal = cluster::DebitQueue::Removal;
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Who debits.
  static constexpr const char* kBy = "elbowroom-rescheduler";

  // Of one namespace's budgets at once: a Pod may be covered by policy::kMostBudgetsOverPod.
  static constexpr std::size_t kShareOfReviews = 8;

  // Both must outlive it. Answers to its tasks come back under `of`.
  Ledgers(const ClusterState& cluster, Outbox& outbox, std::string by = kBy,
          LedgerTask::Of of = LedgerTask::Of::Moves)
      : cluster_(cluster),
        outbox_(outbox),
        of_(of),
        queue_(std::move(by), cluster::DebitQueue::Walls::All,
               of == LedgerTask::Of::Reviews ? kShareOfReviews : 0) {}

  struct Begun {
    Removal removal = 0;
    std::set<cluster::BudgetName> budgets{};  // a verdict of each follows
  };
  // Enters the pod in the ledgers of all budgets that cover it. Exhausted: more than
  // policy::kMostBudgetsOverPod do.
  [[nodiscard]] Result<Begun> debit(const policy::Pod& pod);
  // No pod goes: what was entered is taken back.
  void take_back(Removal removal) { queue_.take_back(removal); }
  // The pod goes: its entries stay.
  void keep(Removal removal) { queue_.forget(removal); }
  void forget_all() { queue_.forget_all(); }

  // Sends what is to be sent, each to end by then; returns what is decided. `server`: the API
  // server's time.
  [[nodiscard]] std::vector<cluster::DebitQueue::Verdict> follow(policy::Time server,
                                                                 Time not_after);

  void done(const LedgerTask& task, std::optional<policy::DisruptionBudget> budget);
  void failed(const LedgerTask& task, const Error& error);

  [[nodiscard]] const cluster::DebitQueue::Counts& counts(bool hard) const {
    return queue_.counts(hard);
  }

 private:
  const ClusterState& cluster_;
  Outbox& outbox_;
  LedgerTask::Of of_;
  cluster::DebitQueue queue_;
  Removal last_ = 0;
};

}  // namespace elbowroom::rescheduler
