// A part of the demo in which controllers create pods: a lab of two nodes, elbowroom-scheduler and
// elbowroom-rescheduler, and what their pods do.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/lab/demo_story.h"
#include "lab/cluster.h"
#include "lab/world/json.h"

namespace elbowroom::cli {

// Of pods of one cpu.
[[nodiscard]] lab::Json deployment(const std::string& name, std::size_t replicas);

class DeploymentDemo : protected DemoStory {
 public:
  using DemoStory::DemoStory;

 protected:
  [[nodiscard]] bool start_cluster();
  [[nodiscard]] bool start_daemons();
  [[nodiscard]] bool stop_daemons();

  // Whether so many pods of the namespace default run there.
  [[nodiscard]] bool runs(std::size_t pods, const std::string& node);
  [[nodiscard]] lab::Json list(const std::string& group, const std::string& version,
                               const std::string& plural, const std::string& ns = "");
  [[nodiscard]] lab::Json pods();
  [[nodiscard]] std::set<std::string> running_on(const std::string& node);
  void create(const lab::Json& object);
  void cordon(const std::string& node, bool cordoned);
  [[nodiscard]] std::string kubeconfig() const { return (folder() / "kubeconfig").string(); }

 private:
  [[nodiscard]] std::optional<lab::DaemonProcess> started(const std::string& program,
                                                          std::vector<std::string> arguments);

  std::unique_ptr<lab::Cluster> cluster_{};
  // They end before the cluster that they talk to.
  std::optional<lab::DaemonProcess> scheduler_{};
  std::optional<lab::DaemonProcess> rescheduler_{};
};

}  // namespace elbowroom::cli
