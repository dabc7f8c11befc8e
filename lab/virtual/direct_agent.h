// Connects an agent's reactor directly to the world: it sees every change at once, and its effects
// are performed when it decides them. Only the world or the runtime can refuse an effect, so a
// timeline shows decisions, not latencies. The simulation has the faults.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "agent/effect.h"
#include "agent/observation.h"
#include "agent/reactor.h"
#include "base/result.h"
#include "lab/virtual/virtual_node.h"
#include "lab/world/pods_by_node.h"
#include "lab/world/reported_event.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

// Kubelet: judges and actuates as an agent in authority does, but without preemption and its
// policy. It is the stand-in for the kubelet beside a companion.
enum class AgentRole { Authority, Companion, Kubelet };

class DirectAgent {
 public:
  // `world`, `pods`, which reads it for all its nodes, and `node` must outlive it.
  DirectAgent(World& world, PodsByNode& pods, VirtualNode& node, std::string node_name,
              AgentRole role);

  // Reports to the reactor what changed since the last step and performs its effects. Returns true
  // if there was anything to report. Call it until it returns false.
  bool step(policy::Time now);

  // When the reactor must be woken; nothing: not before something changes.
  [[nodiscard]] std::optional<policy::Time> next_due() const;

  // The process ends and restarts with the state on its disk.
  void restart();

  // Returns the events since the last call, oldest first.
  [[nodiscard]] std::vector<ReportedEvent> take_events() { return std::exchange(events_, {}); }

 private:
  using Seen = decltype(agent::Observation::what);

  bool begin();
  bool look_at_node();
  bool look_at_pods();
  bool list_pods();
  void look_at_pod(const std::string& ns, const std::string& name);
  bool poll_runtime();
  bool wake();
  void tell(Seen seen);
  void note(const agent::EmitEvent& event);
  [[nodiscard]] Result<policy::Pod> pod_of(const Json& object) const;

  using Size = std::optional<cri::RuntimeResources>;
  [[nodiscard]] Result<Size> perform(const agent::Effect& effect);
  [[nodiscard]] Result<Size> perform_one(const agent::SaveCheckpoint& save);
  [[nodiscard]] Result<Size> perform_one(const agent::Actuate& actuate);
  [[nodiscard]] Result<Size> perform_one(const agent::WriteStatus& write);
  [[nodiscard]] Result<Size> perform_one(const agent::MarkVictim& mark);
  [[nodiscard]] Result<Size> perform_one(const agent::DeleteVictim& removal);
  [[nodiscard]] Result<Size> perform_one(const agent::AnnotateNode& annotate);
  [[nodiscard]] Result<void> patch_status(const std::string& ns, const std::string& name,
                                          const std::string& patch);

  World& world_;
  PodsByNode& placed_;
  VirtualNode& node_;
  std::string node_name_;
  AgentRole role_;

  std::string disk_{};  // the checkpoint; "": none yet
  std::unique_ptr<agent::Reactor> reactor_{};
  policy::Time now_{};
  policy::Time born_{};
  bool has_begun_ = false;
  std::uint64_t world_version_ = 0;
  std::string node_version_{};
  std::uint64_t runtime_version_ = 0;
  std::map<std::string, std::string, std::less<>> uids_{};  // by NAMESPACE/NAME, of our pods
  std::vector<ReportedEvent> events_{};
};

}  // namespace elbowroom::lab
