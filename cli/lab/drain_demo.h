// The part of the demo about disruption budgets: the pods of a Deployment leave a node, one a
// minute, and each comes up elsewhere.
#pragma once

#include <chrono>
#include <optional>

#include "cli/evict/eviction_decision.h"
#include "cli/lab/deployment_demo.h"

namespace elbowroom::cli {

class DrainDemo : private DeploymentDemo {
 public:
  using DeploymentDemo::DeploymentDemo;

  // True when every step was observed. Takes a little more than a minute.
  [[nodiscard]] bool play();

 private:
  [[nodiscard]] bool begin();
  [[nodiscard]] bool evicts_the_first();
  [[nodiscard]] bool is_told_when();
  [[nodiscard]] bool evicts_the_second();
  [[nodiscard]] bool end();

  // Evicts a pod of node-1 as `elbowroom evict --wait` does, and prints its answer.
  [[nodiscard]] std::optional<EvictionDecision> evict(std::chrono::seconds wait);
};

}  // namespace elbowroom::cli
