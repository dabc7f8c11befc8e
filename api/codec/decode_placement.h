// What a pod asks of its node and of the pods beside it, out of its spec. A term that cannot be
// understood is no error; it does not match, and is told, so that it concerns the pod that has it
// and no other one.
#pragma once

#include <string>
#include <vector>

#include "api/codec/field.h"
#include "policy/model/placement.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// More terms, constraints, tolerations and expressions than that in all are not looked at, as every
// one would be asked about every node.
inline constexpr std::size_t kMaxPlacementTerms = 1'000;

// A term that cannot be understood. What API servers take all the same: `Gt` with a value that is
// no integer, a label's name or value that can be none, more terms than we look at.
struct OddTerm {
  std::string why{};  // "spec.tolerations[0].operator: must be Equal or Exists"
  bool is_served = false;

  friend bool operator==(const OddTerm&, const OddTerm&) = default;
};
using OddTerms = std::vector<OddTerm>;

// `pod` gives the namespace and the labels. Where a term cannot be understood a required one about
// nodes or about pods to be near matches no node, and every other one is as if it were not there;
// with more than kMaxPlacementTerms no node matches. `terms` may be null.
[[nodiscard]] policy::Placement decode_placement(const Field& spec, const policy::Pod& pod,
                                                 OddTerms* terms);

// Of a placement that is too much to be looked at, what is left: the pod can be placed nowhere, and
// its terms match no pod. What it holds of its node stays: a thousand host ports.
[[nodiscard]] policy::Placement placed_nowhere(policy::Placement of);

}  // namespace elbowroom::api
