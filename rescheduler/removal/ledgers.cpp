#include "rescheduler/removal/ledgers.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "cluster/ledger_sight.h"
#include "policy/preemption/budget_account.h"

namespace elbowroom::rescheduler {
Result<Ledgers::Begun> Ledgers::debit(const policy::Pod& pod) {
  const auto over = cluster_.snapshot().own_budgets_over(pod);
  if (over.size() > policy::kMostBudgetsOverPod) {
    return failure(Code::Exhausted, std::to_string(over.size()) +
                                        " disruption budgets cover the pod, and at most " +
                                        std::to_string(policy::kMostBudgetsOverPod) +
                                        " are debited: let fewer select it");
  }
  Begun begun{.removal = ++last_};
  for (const policy::DisruptionBudget* each : over) {
    begun.budgets.insert(cluster::name_of(*each));
    queue_.debit(cluster::name_of(*each), begun.removal, {pod});
  }
  return begun;
}

std::vector<cluster::DebitQueue::Verdict> Ledgers::follow(policy::Time server, Time not_after) {
  for (cluster::DebitQueue::Task& task :
       queue_.take_tasks(cluster::sight_of(cluster_.snapshot(), server))) {
    std::visit(
        [&](auto& what) {
          LedgerTask in_flight{.budget = what.budget,
                               .reads = std::is_same_v<decltype(what), ReadLedger&>,
                               .of = of_};
          what.at_once = of_ == LedgerTask::Of::Reviews;
          outbox_.emit(std::move(what), not_after, std::move(in_flight));
        },
        task);
  }
  return queue_.take_verdicts();
}

void Ledgers::done(const LedgerTask& task, std::optional<policy::DisruptionBudget> budget) {
  if (!budget || cluster::name_of(*budget) != task.budget) {
    return failed(task, Error{Code::NotFound, "another budget has the name", {}});
  }
  if (task.reads) {
    queue_.read(*std::move(budget));
  } else {
    queue_.written(*std::move(budget));
  }
}

void Ledgers::failed(const LedgerTask& task, const Error& error) {
  queue_.failed(task.budget, error);
}

}  // namespace elbowroom::rescheduler
