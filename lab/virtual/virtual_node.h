// One node's runtime and pod runner in virtual time: it starts, runs, ends and removes the pods
// bound to the node and writes their statuses, all against a World. Everything happens inside
// step(), in the order of uids, at the given time. It writes no resize condition and, after a
// container's first status, no allocation: those belong to the agent or kubelet that judges
// resizes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "agent/effect.h"
#include "agent/observation.h"
#include "base/result.h"
#include "lab/node/pod_plan.h"
#include "lab/node/runtime_rules.h"
#include "lab/virtual/virtual_runtime.h"
#include "lab/world/pods_by_node.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

struct VirtualNodeOptions {
  std::string node_name{};
  bool manages_pod_cgroups = true;  // each pod has its own cgroup
  cri::CgroupVersion cgroups = cri::CgroupVersion::V1;
};

class VirtualNode {
 public:
  // `world` and `pods`, which reads it for all its nodes, must outlive it. The first step() adopts
  // pods that already exist.
  VirtualNode(World& world, PodsByNode& pods, VirtualNodeOptions options);

  // From now on a pod that is bound to this node and has not begun is admitted, waits for the
  // agent, or is rejected. Before, and for the pods that exist when the node is added, all begin.
  void begin_admission() { admits_ = true; }

  // Does what is due: starts pods bound to this node (at once), ends deleted pods after their grace
  // period, writes statuses, removes ended pods. A pod whose status has container statuses runs as
  // they say; one without runs as requested. Returns true if anything was done. Call it until it
  // returns false.
  bool step(policy::Time now);

  // When something happens without input; nothing: not before the world changes.
  [[nodiscard]] std::optional<policy::Time> next_due() const {
    return touched_.empty() ? next_due_ : std::optional(now_);
  }

  // Returns a runtime's list of what runs, and a number that changes whenever the list changes.
  [[nodiscard]] agent::RuntimeSeen runtime() const { return runtime_.seen(); }
  [[nodiscard]] std::uint64_t runtime_version() const { return runtime_.version(); }
  void on_cgroup_write(std::function<void(const CgroupWrite&)> told) {
    runtime_.on_write(std::move(told));
  }

  // Performs one step of the agent on this node's runtime, at the time of the latest step(); see
  // VirtualRuntime::perform. The world does not change before the next step(), which also restarts
  // what the kernel has killed.
  [[nodiscard]] Result<std::optional<cri::RuntimeResources>> perform(const agent::Actuate& actuate);
  // Returns the present size of what such a step changes, for a runtime that only reports success.
  [[nodiscard]] std::optional<cri::RuntimeResources> size_of(const agent::Actuate& actuate) const {
    return runtime_.size_of(actuate);
  }

  // Events on the node without input. NotFound: no such pod or container runs here.
  //
  // All containers of the pod end and are not restarted, whatever its restartPolicy is.
  [[nodiscard]] Result<void> exit(std::string_view ns, std::string_view name,
                                  std::int32_t exit_code = 0);
  // One container ends; it restarts as the pod's restartPolicy says.
  [[nodiscard]] Result<void> crash(std::string_view ns, std::string_view name,
                                   std::string_view container, std::int32_t exit_code);
  [[nodiscard]] Result<void> use_memory(std::string_view ns, std::string_view name,
                                        std::string_view container, std::int64_t bytes);

 private:
  struct Known {
    NodePod pod{};
    PodOrders orders{};
    bool unsaid = false;                        // its runtime changed since the last report
    bool has_begun = false;                     // it was admitted
    std::optional<policy::Time> waits_since{};  // for its admission
    std::int64_t grace = 0;                     // the grace period that `ends` was computed from
    std::optional<policy::Time> ends{};         // set while it is terminating
    std::optional<policy::Time> due{};
  };
  using Entry = std::pair<const std::string, Known>;

  void take_news();
  void learn(std::string_view ns, std::string_view name);
  void adopt(Known& known);
  void forget(const std::string& key);
  void note_end(Known& known, bool is_new);
  bool look_after(Entry& entry);
  [[nodiscard]] Admitted admission_of(Known& known) const;
  [[nodiscard]] bool admits(Known& known, bool& changed);
  bool carry_out(Known& known, const PodStep& step);
  void start_sandbox(const Known& known, std::uint32_t attempt);
  void start_container(Known& known, const StartContainer& start);
  bool end_if_over(Known& known);
  bool take_object_away(const Known& known);
  bool report(Known& known);
  void find_due(Known& known);
  [[nodiscard]] const cri::RuntimePod* runtime_of(const Known& known) const;
  [[nodiscard]] Known* running(std::string_view ns, std::string_view name);
  [[nodiscard]] std::int64_t now_ns() const;

  World& world_;
  PodsByNode& placed_;
  VirtualNodeOptions options_;
  bool admits_ = false;
  VirtualRuntime runtime_;
  policy::Time now_{};
  std::uint64_t seen_version_ = 0;
  bool listed_ = false;
  std::map<std::string, Known, std::less<>> pods_;  // by NAMESPACE/NAME
  std::set<std::string, std::less<>> touched_;      // keys to look at in the next step
  std::optional<policy::Time> next_due_{};
};

}  // namespace elbowroom::lab
