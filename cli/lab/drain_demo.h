// The part of the demo about disruption budgets: the pods of a Deployment leave a node, one a
// minute, and each comes up elsewhere.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/evict/eviction_decision.h"
#include "cli/lab/demo_story.h"
#include "lab/cluster.h"
#include "lab/world/json.h"

namespace elbowroom::cli {

class DrainDemo : private DemoStory {
 public:
  using DemoStory::DemoStory;

  // True when every step was observed. Takes a little more than a minute.
  [[nodiscard]] bool play();

 private:
  [[nodiscard]] bool begin();
  [[nodiscard]] bool evicts_the_first();
  [[nodiscard]] bool is_told_when();
  [[nodiscard]] bool evicts_the_second();
  [[nodiscard]] bool end();

  [[nodiscard]] bool start_daemons();
  [[nodiscard]] std::optional<lab::DaemonProcess> started(const std::string& program,
                                                          std::vector<std::string> arguments);
  // Evicts a pod of node-1 as `elbowroom evict --wait` does, and prints its answer.
  [[nodiscard]] std::optional<EvictionDecision> evict(std::chrono::seconds wait);
  // Whether so many pods of the Deployment run there.
  [[nodiscard]] bool runs(std::size_t pods, const std::string& node);
  [[nodiscard]] lab::Json pods();
  [[nodiscard]] std::set<std::string> running_on(const std::string& node);
  void create(const lab::Json& object);
  void cordon(const std::string& node, bool cordoned);

  std::unique_ptr<lab::Cluster> cluster_{};
  // They end before the cluster that they talk to.
  std::optional<lab::DaemonProcess> scheduler_{};
  std::optional<lab::DaemonProcess> rescheduler_{};
};

}  // namespace elbowroom::cli
