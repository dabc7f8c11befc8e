// The placement requirements in a pod's spec: what it requires of its node and of the pods beside
// it. An unreadable term is not an error. It does not match and is reported, so that it affects
// only the pod that has it.
#pragma once

#include <string>
#include <vector>

#include "api/codec/field.h"
#include "policy/model/placement.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// The limit for all terms, constraints, tolerations and expressions of one pod, because each of
// them would be evaluated for every node.
inline constexpr std::size_t kMaxPlacementTerms = 1'000;

// An unreadable term. API servers nevertheless accept: `Gt` with a value that is not an integer, an
// invalid label name or value, more terms than the limit.
struct UnreadableTerm {
  std::string why{};  // "spec.tolerations[0].operator: must be Equal or Exists"
  bool is_served = false;

  friend bool operator==(const UnreadableTerm&, const UnreadableTerm&) = default;
};
using UnreadableTerms = std::vector<UnreadableTerm>;

// `pod` provides the namespace and the labels. An unreadable required term about nodes or pod
// affinity matches no node; every other unreadable term is ignored. With more than
// kMaxPlacementTerms no node matches. `terms` may be null.
[[nodiscard]] policy::Placement decode_placement(const Field& spec, const policy::Pod& pod,
                                                 UnreadableTerms* terms);

// A term of a node selector. One unreadable expression makes the whole term unreadable: it matches
// nothing. Source: component-helpers scheduling/corev1/nodeaffinity.
[[nodiscard]] Result<policy::NodeTerm> decode_node_term(const Field& at);

// Reduces a placement that exceeds the limit: the pod can be placed nowhere, and its terms match no
// pod. What it holds on its node stays, up to a thousand host ports and claims.
[[nodiscard]] policy::Placement placed_nowhere(policy::Placement of);

}  // namespace elbowroom::api
