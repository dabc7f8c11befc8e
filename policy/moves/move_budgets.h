// What disruption budgets allow moves: both kinds are walls, hard or not, and each move is charged
// before the next one is asked about.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/moves/move_scene.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {

class MoveBudgets {
 public:
  // `scene` must outlive this object. `reserve`: disruptions that are left in each budget.
  MoveBudgets(const MoveScene& scene, std::int64_t reserve) : scene_(scene), reserve_(reserve) {}

  // Why the pod cannot be evicted now: "budget NAMESPACE/NAME: ..." of each that blocks; "": it
  // can.
  [[nodiscard]] std::string why_blocked(const Pod& pod);
  // Requires that nothing blocks it.
  void charge(const Pod& pod);

 private:
  // Those of one namespace as they are now, beside the moves so far.
  struct Known {
    std::vector<PodDisruptionBudget> upstream{};
    std::vector<DisruptionBudget> ours{};
    std::vector<Strength> strengths{};  // of `ours`
    std::vector<Pod> moved{};
  };
  [[nodiscard]] Known& known(const std::string& ns);
  [[nodiscard]] std::vector<Pod> named_by(const DisruptionBudget& budget, const Known& known) const;

  const MoveScene& scene_;
  std::int64_t reserve_;
  std::map<std::string, Known> by_namespace_{};
};

}  // namespace elbowroom::policy
