// Why a node does not admit a pending pod.
#pragma once

#include <cstdint>

namespace elbowroom::policy {

// In upstream's order of filters. A node reports the reasons of the first filter that refuses it.
enum class Reason : std::uint8_t {
  Deleted,
  Gated,
  Group,  // the pod's group does not exist, or is not supported
  ResourceClaims,
  UnboundVolumes,
  Avoided,
  Unschedulable,
  Taint,
  NodeAffinity,
  HostPorts,
  TooManyPods,
  Cpu,
  Memory,
  EphemeralStorage,
  OtherResource,
  SpreadLabel,
  Spread,
  Near,
  Apart,
  ExistingAntiAffinity,
};

}  // namespace elbowroom::policy
