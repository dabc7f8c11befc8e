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
  VolumeClaims,  // one of its claims can be used on no node now
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
  ClaimInUse,
  VolumeLimit,
  VolumeNode,     // a bound volume cannot be used on the node
  VolumeUnbound,  // no volume for an unbound claim there
  VolumeSpace,
  VolumeGone,  // a claim is bound to a volume that does not exist
  VolumeZone,
  SpreadLabel,
  Spread,
  Near,
  Apart,
  ExistingAntiAffinity,
};

}  // namespace elbowroom::policy
