// The container runtime and the cgroups of one node, as values: what runs, at which sizes, with how
// much memory in use. It has no clock, socket or file, and it does what runc and the kernel do.
// With cgroup version 1 they refuse a memory limit below usage, and a quota above the pod's. With
// version 2 they accept both, and the kernel kills what exceeds its memory limit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/effect.h"
#include "agent/observation.h"
#include "base/result.h"
#include "cri/cgroup.h"
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

// A size that the agent wrote into a cgroup, or tried to, as the kernel saw it.
struct CgroupWrite {
  std::string pod_uid{};
  std::string container{};          // "": the pod's own cgroup
  cri::RuntimeResources before{};   // 0: no limit
  cri::RuntimeResources asked{};    // 0: unchanged, -1: no limit
  cri::RuntimeResources after{};    // as before, where it was refused
  std::int64_t memory_use = 0;      // bytes, of that cgroup
  const VirtualPod* pod = nullptr;  // with this size; valid during the call, like `step`
  const agent::Actuate* step = nullptr;
};

class VirtualRuntime {
 public:
  explicit VirtualRuntime(cri::CgroupVersion cgroups = cri::CgroupVersion::V1)
      : cgroups_(cgroups) {}

  // Called at each write, before anything else happens.
  void on_write(std::function<void(const CgroupWrite&)> told) { told_ = std::move(told); }

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
  // The kernel keeps the use within the limits of the container and its pod. Returns false if the
  // container does not run.
  bool use_memory(std::string_view uid, std::string_view container, std::int64_t bytes);

  // How many containers the kernel has killed because a limit was lowered below their memory.
  [[nodiscard]] std::size_t killed() const { return killed_; }

 private:
  [[nodiscard]] static Result<void> check(const VirtualPod& pod, const policy::CheckMemory& check);
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> set_pod(VirtualPod& pod,
                                                                     const policy::SetPod& step,
                                                                     const agent::Actuate& of);
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> update(
      VirtualPod& pod, const policy::UpdateContainer& step, const agent::Actuate& of);

  // Returns an error where the kernel refuses a size of the pod's own cgroup.
  [[nodiscard]] Result<void> refuse_pod_size(const VirtualPod& pod, std::int64_t memory_limit,
                                             const cri::RuntimeResources& after) const;
  void tell(const VirtualPod& pod, const agent::Actuate& of, CgroupWrite write) const;
  void kill_beyond_limits(const std::string& uid, std::int64_t now_ns);

  cri::CgroupVersion cgroups_;
  std::function<void(const CgroupWrite&)> told_{};
  std::map<std::string, VirtualPod, std::less<>> pods_;  // by uid
  std::uint64_t version_ = 1;
  std::size_t killed_ = 0;
};

}  // namespace elbowroom::lab
