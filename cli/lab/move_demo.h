// The part of the demo about better places: a node is added, what would move is asked first, a pod
// moves there, and what a budget refuses is told.
#pragma once

#include <string>

#include "cli/lab/deployment_demo.h"

namespace elbowroom::cli {

class MoveDemo : private DeploymentDemo {
 public:
  using DeploymentDemo::DeploymentDemo;

  // True when every step was observed.
  [[nodiscard]] bool play();

 private:
  [[nodiscard]] bool begin();
  [[nodiscard]] bool tells_what_would_move();
  [[nodiscard]] bool moves();
  [[nodiscard]] bool tells_what_was_refused();

  // Puts that text into the rescheduler's ConfigMap.
  void configure(const std::string& policies);
  // Whether a pod whose name begins so has an event with that reason and these words.
  [[nodiscard]] bool was_told(const std::string& pod, const std::string& reason,
                              const std::string& words);
  // Prints what `elbowroom simulate reschedule` prints.
  [[nodiscard]] bool simulate();
};

}  // namespace elbowroom::cli
