// Records how many disruptions the budgets of a world allow, whenever that changes.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cli/scenario/timeline.h"
#include "lab/world/world.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

class BudgetRecorder {
 public:
  using Pods = std::map<std::string, policy::Pod, std::less<>>;

  // `at` of the scenario is `now` of the cluster. Budgets that cannot be understood are left out.
  void look(std::chrono::milliseconds at, policy::Time now, const lab::World& world,
            const Pods& pods);

  // By name.
  [[nodiscard]] std::vector<BudgetLine> take();

 private:
  void note(const std::string& budget, bool hard, std::chrono::milliseconds at,
            std::int64_t disruptions);

  std::map<std::string, BudgetLine> lines_{};
};

}  // namespace elbowroom::cli
