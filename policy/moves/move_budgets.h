// What disruption budgets allow moves: both kinds are walls, hard or not, and each move is charged
// before the next one is asked about. A budget of the cluster is charged in a copy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {

class MoveBudgets {
 public:
  // `pods`: all of the cluster; it must outlive this object.
  MoveBudgets(const Budgets& budgets, std::span<const Pod> pods, Time now)
      : upstream_(budgets.upstream), ours_(budgets.ours), pods_(pods), now_(now) {}

  // Why the pod cannot be evicted now: "budget NAMESPACE/NAME: ..." of each that blocks; "": it
  // can.
  [[nodiscard]] std::string why_blocked(const Pod& pod) const;
  // Requires that nothing blocks it.
  void charge(const Pod& pod);

 private:
  std::vector<PodDisruptionBudget> upstream_;
  std::vector<DisruptionBudget> ours_;
  std::span<const Pod> pods_;
  Time now_;
};

}  // namespace elbowroom::policy
