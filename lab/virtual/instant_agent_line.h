// The line of an agent to a world without latency: it tells what changed since the last look, and
// writes at once. It stands where the API worker and its transport are in a simulation with
// latency.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "agent/effect.h"
#include "agent/observation.h"
#include "base/result.h"
#include "lab/world/pods_by_node.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

class InstantAgentLine {
 public:
  // Takes one observation and performs its effects before it returns.
  using Tell = std::function<void(decltype(agent::Observation::what))>;

  struct Options {
    std::string node_name{};
    // A kubelet follows no policy of preemption: the Node's annotations and
    // PodResizePreemptionDisabled are not for it.
    bool is_kubelet = false;
  };

  // `world` and `pods`, which reads it for all its nodes, must outlive it.
  InstantAgentLine(World& world, PodsByNode& pods, Options options, Tell tell);

  // Tells what changed since the last look; at first, the Node and all pods. Returns true if there
  // was anything.
  bool look();

  // Returns true if the world changed since the last look.
  [[nodiscard]] bool is_behind() const { return !has_looked_ || world_.version() != version_; }

  // Performs an effect that is for the API; events are only reported.
  [[nodiscard]] Result<void> perform(const agent::Effect& effect);
  // Performs the one that is answered by more; `effect` is not set.
  [[nodiscard]] Result<agent::BudgetsRead> read(const agent::ReadBudgets& read) const;

 private:
  bool look_at_node(bool is_first);
  bool look_at_pods();
  bool list_pods();
  void look_at_pod(const std::string& ns, const std::string& name);
  [[nodiscard]] Result<policy::Pod> pod_of(const Object& object) const;

  [[nodiscard]] Result<void> write(const agent::WriteStatus& status);
  [[nodiscard]] Result<void> write(const agent::MarkVictim& mark);
  [[nodiscard]] Result<void> write(const agent::DeleteVictim& removal);
  [[nodiscard]] Result<void> write(const agent::AnnotateNode& annotate);
  [[nodiscard]] Result<void> write(const agent::EnterVictim& enter);

  World& world_;
  PodsByNode& placed_;
  Options options_;
  Tell tell_;
  bool has_looked_ = false;
  std::uint64_t version_ = 0;                               // of the world, at the last look
  std::optional<Object> node_{};                            // as last seen
  std::map<std::string, std::string, std::less<>> uids_{};  // by NAMESPACE/NAME, of its pods
};

}  // namespace elbowroom::lab
