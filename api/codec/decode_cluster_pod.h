// A Pod as a cluster serves it, where it may be anybody's. Nothing that a server lets a user create
// is an error here, so that no pod makes what its node holds unknown:
//
// * one that has finished (Succeeded, Failed) is a stub, whatever else is in it: identity, node,
//   phase, controller, DisruptionTarget, and a single container if one had begun;
// * an amount above 2^63-1 of its unit is the largest amount, and sums saturate: the pod is too
//   large for any node;
// * a term of placement that cannot be understood does not match: decode_placement.h;
// * a grace period below zero is one second, and an unknown preemptionPolicy is Never;
// * a pod that is no mirror pod is not static, whatever its annotations say.
#pragma once

#include "api/codec/decode_pod.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// Invalid: what no server serves, such as no name, no containers, an amount that is none.
[[nodiscard]] Result<policy::Pod> decode_cluster_pod(const Value& object, OddTerms* odd = nullptr);

// Without its terms of placement, for those who only judge resizes.
[[nodiscard]] Result<policy::Pod> decode_placed_pod(const Value& object);

// With containers and statuses that did not become part of the tree.
[[nodiscard]] Result<policy::Pod> decode_cluster_pod_in_parts(const Value& object,
                                                              const ContainerParts& parts,
                                                              Terms terms);

}  // namespace elbowroom::api
