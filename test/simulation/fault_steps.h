// Faults as steps of a history: between a scheduler or an agent and the API server, lost processes,
// orderly ends and jumps of the time of day.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "test/simulation/cluster_history.h"

namespace elbowroom::test {

class FaultSteps {
 public:
  // All must live as long. `with_agents`: agents meet faults, too.
  FaultSteps(std::mt19937_64& random, std::vector<ClusterStep>& steps, bool with_agents)
      : random_(random), steps_(steps), with_agents_(with_agents) {}

  void add(std::chrono::milliseconds at);
  [[nodiscard]] std::string any_node() { return one_in(2) ? "n1" : "n2"; }

 private:
  using Kind = ClusterStep::Kind;

  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  bool one_in(std::int64_t n) { return number(n) == 0; }
  [[nodiscard]] std::string any_scheduler() {
    return one_in(2) ? kFirstScheduler : kSecondScheduler;
  }
  [[nodiscard]] std::string any_process() {
    return with_agents_ && one_in(8) ? any_node() : any_scheduler();
  }
  ClusterStep& step(Kind kind, std::chrono::milliseconds at);
  void partition(std::chrono::milliseconds at);
  void end(std::chrono::milliseconds at);
  void jump(std::chrono::milliseconds at);
  void api_fault(std::chrono::milliseconds at);
  void crash(std::chrono::milliseconds at);

  std::mt19937_64& random_;
  std::vector<ClusterStep>& steps_;
  const bool with_agents_;
};

}  // namespace elbowroom::test
