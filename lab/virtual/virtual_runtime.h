// The container runtime and the cgroups of one node, as values: what runs, at which sizes. It has
// no clock, socket or file, and it refuses what runc and the kernel refuse
// (lab/node/runtime_rules.h, and a pod's quota below its containers').
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/effect.h"
#include "agent/observation.h"
#include "base/result.h"
#include "cri/runtime_view.h"
#include "cri/types.h"

namespace elbowroom::lab {

// One pod's sandbox and containers. A container's size is its `resources`.
struct VirtualPod {
  cri::RuntimePod view{};
  std::optional<cri::RuntimeResources> group{};                   // the pod's own cgroup
  std::map<std::string, std::int64_t, std::less<>> memory_use{};  // bytes, by container

  friend bool operator==(const VirtualPod&, const VirtualPod&) = default;
};

class VirtualRuntime {
 public:
  [[nodiscard]] const VirtualPod* find(std::string_view uid) const;
  [[nodiscard]] const std::map<std::string, VirtualPod, std::less<>>& pods() const { return pods_; }

  // Changes whenever the runtime's state changes.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  // Returns what the agent observes.
  [[nodiscard]] agent::RuntimeSeen seen() const;

  // Performs one step of the agent, as its runtime worker does. Returns the resulting size of the
  // container or the pod's cgroup, nothing after a restart. NotFound: the pod does not exist, or
  // the container does not run. Conflict: a memory check failed. Invalid: refused, in runc's words.
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> perform(const agent::Actuate& actuate,
                                                                     std::int64_t now_ns);

  // Returns the present size of what that step would change; nothing if it does not exist.
  [[nodiscard]] std::optional<cri::RuntimeResources> size_of(const agent::Actuate& actuate) const;

  // The pod runner's operations.
  void run_sandbox(VirtualPod pod);
  void start_container(const std::string& uid, cri::RuntimeContainer container);
  void end_container(const std::string& uid, std::string_view name, std::int32_t exit_code,
                     std::int64_t now_ns);
  void remove_sandbox(std::string_view uid);
  // Returns false if the container does not run.
  bool use_memory(std::string_view uid, std::string_view container, std::int64_t bytes);

 private:
  [[nodiscard]] static Result<void> check(const VirtualPod& pod, const policy::CheckMemory& check);
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> set_pod(VirtualPod& pod,
                                                                     const policy::SetPod& step);
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> update(
      VirtualPod& pod, const policy::UpdateContainer& step);

  std::map<std::string, VirtualPod, std::less<>> pods_;  // by uid
  std::uint64_t version_ = 1;
};

}  // namespace elbowroom::lab
