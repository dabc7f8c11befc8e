// The part of the demo about pod groups: a gang preempts another one whole, on two nodes, after
// both were explained.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/lab/demo_story.h"
#include "lab/cluster.h"
#include "lab/world/json.h"

namespace elbowroom::cli {

class GangDemo : private DemoStory {
 public:
  using DemoStory::DemoStory;

  // True when every step was observed.
  [[nodiscard]] bool play();

 private:
  [[nodiscard]] bool begin();
  [[nodiscard]] bool explains_both();
  [[nodiscard]] bool preempts_whole();

  [[nodiscard]] bool explain(const std::string& group);
  void create(const lab::Json& object);
  [[nodiscard]] lab::Json get(const std::string& plural, const std::string& name);
  [[nodiscard]] std::string node_of(const std::string& pod);
  [[nodiscard]] lab::Json condition_of(const std::string& group, const std::string& type);

  std::unique_ptr<lab::Cluster> cluster_{};
  std::optional<lab::DaemonProcess> scheduler_{};  // ends before the cluster it talks to
};

}  // namespace elbowroom::cli
