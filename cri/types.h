// Sandboxes and containers as a container runtime reports them, and what it is asked to run.
// Reported values have passed cri/client.cpp: strings are bounded and printable, but numbers and
// ids are claims, not facts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"

namespace elbowroom::cri {

// The labels that identify the pod of a sandbox or container. Source: kubernetes
// staging/src/k8s.io/kubelet/pkg/types/labels.go.
inline constexpr std::string_view kPodUidLabel = "io.kubernetes.pod.uid";
inline constexpr std::string_view kPodNameLabel = "io.kubernetes.pod.name";
inline constexpr std::string_view kPodNamespaceLabel = "io.kubernetes.pod.namespace";
inline constexpr std::string_view kContainerNameLabel = "io.kubernetes.container.name";

// Annotations that a pod runner gives the containers it creates: the size in the words of
// text_of_size(), because a runtime keeps no memory request, and how many of the attempts before it
// ended for a resize.
inline constexpr std::string_view kCreatedSize = "elbowroom.dev/created-size";
inline constexpr std::string_view kResizeRestarts = "elbowroom.dev/resize-restarts";

using Labels = std::map<std::string, std::string, std::less<>>;

// Sizes as CRI carries them on every cgroup version. In requests, 0 means "leave unchanged" and -1
// "no limit". In values read back, both mean no limit.
struct RuntimeResources {
  std::int64_t cpu_shares = 0;  // 1024 is one cpu
  std::int64_t cpu_quota_us = 0;
  std::int64_t cpu_period_us = 0;
  std::int64_t memory_limit_bytes = 0;
  // Only where a version 2 cgroup was read: the weight that shares were converted to, by a rule
  // that depends on the runtime; cpu_shares is 0 then. Never sent.
  std::int64_t cpu_weight = 0;

  friend bool operator==(const RuntimeResources&, const RuntimeResources&) = default;
};

// How a program converts cpu shares into the cpu.weight of a version 2 cgroup. 1024 shares are
// weight 39 by the linear map, and 100 by the logarithmic one. Source: opencontainers/runc 1.3.2,
// crun 1.23, kubelet 1.35 (KEP-2254), where the logarithmic map replaced the linear one.
enum class WeightMap { Linear, Logarithmic };  // the older one first

enum class SandboxState { Ready, NotReady };

struct Sandbox {
  std::string id{};
  std::string pod_uid{};
  std::string ns{};
  std::string name{};
  std::uint32_t attempt = 0;
  SandboxState state = SandboxState::NotReady;
  std::int64_t created_at_ns = 0;  // since the Unix epoch, the runtime's clock
  std::string ip{};                // only from Client::sandbox_status

  friend bool operator==(const Sandbox&, const Sandbox&) = default;
};

enum class ContainerState { Created, Running, Exited, Unknown };

struct RuntimeContainer {
  std::string id{};
  std::string sandbox_id{};
  std::string pod_uid{};
  std::string ns{};
  std::string pod_name{};
  std::string name{};
  std::uint32_t attempt = 0;
  ContainerState state = ContainerState::Unknown;
  std::int64_t created_at_ns = 0;
  std::optional<policy::Requirements> created{};  // by kCreatedSize; cpu and memory only
  std::uint32_t resize_restarts = 0;              // by kResizeRestarts

  // Only from Client::container_status.
  std::int64_t started_at_ns = 0;
  std::int64_t finished_at_ns = 0;
  std::int32_t exit_code = 0;
  std::string reason{};
  std::string message{};
  std::optional<RuntimeResources> resources{};  // last accepted; absent: not reported
  bool may_swap = false;  // its limit of memory plus swap is above its memory limit

  friend bool operator==(const RuntimeContainer&, const RuntimeContainer&) = default;
};

// A pod runner's request for a sandbox.
struct SandboxSpec {
  std::string pod_uid{};
  std::string ns{};
  std::string name{};
  std::uint32_t attempt = 0;
  std::string cgroup_parent{};  // a path (cgroupfs) or a slice (systemd); "": chosen by the runtime
  std::string log_directory{};
  bool host_network = false;
  Labels labels{};  // in addition to the labels that identify the pod
  Labels annotations{};

  friend bool operator==(const SandboxSpec&, const SandboxSpec&) = default;
};

struct ContainerSpec {
  std::string name{};
  std::uint32_t attempt = 0;
  std::string image{};
  std::vector<std::string> command{};
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, std::string>> env{};
  RuntimeResources resources{};
  std::int64_t oom_score_adj = 0;
  Labels labels{};
  Labels annotations{};

  friend bool operator==(const ContainerSpec&, const ContainerSpec&) = default;
};

struct RuntimeVersion {
  std::string name{};     // "containerd"
  std::string version{};  // "1.6.20~ds1"
  std::string api{};      // "v1"

  friend bool operator==(const RuntimeVersion&, const RuntimeVersion&) = default;
};

struct RuntimeReadiness {
  bool runtime = false;
  bool network = false;
  std::string reason{};  // why not, in the runtime's words

  friend bool operator==(const RuntimeReadiness&, const RuntimeReadiness&) = default;
};

enum class CgroupDriver { Cgroupfs, Systemd };

[[nodiscard]] std::string_view to_string(ContainerState state);

}  // namespace elbowroom::cri
