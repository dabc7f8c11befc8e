// A Pod as served by a cluster, which any user may have created. Nothing that a server lets a user
// create is an error here, so no pod can make it unknown what its node holds:
//
// * a pod that has finished (Succeeded, Failed) becomes a stub, whatever else it contains:
//   identity, node, phase, controller, DisruptionTarget, and a container if one had started;
// * an amount above 2^63-1 of its unit is the largest amount, and sums saturate: the pod is too
//   large for any node;
// * an unreadable placement term does not match: decode_placement.h;
// * a grace period below zero is one second, and an unknown preemptionPolicy is Never;
// * a pod that is not a mirror pod is not static, whatever its annotations say.
#pragma once

#include "api/codec/decode_pod.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// Invalid: what no server serves, such as no name, no containers, or a malformed amount.
[[nodiscard]] Result<policy::Pod> decode_cluster_pod(const Value& object,
                                                     UnreadableTerms* odd = nullptr);

// Without its placement terms, for programs that only evaluate resizes.
[[nodiscard]] Result<policy::Pod> decode_placed_pod(const Value& object);

// With containers and statuses that did not become part of the tree.
[[nodiscard]] Result<policy::Pod> decode_cluster_pod_in_parts(const Value& object,
                                                              const ContainerParts& parts,
                                                              Terms terms);

}  // namespace elbowroom::api
