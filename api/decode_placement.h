// What a pod asks of its node and of the pods beside it, out of its spec. The one thing to know:
// what the API server checks and fills in is checked and filled in here too, for manifests that
// never met one.
#pragma once

#include <string>

#include "api/field.h"
#include "base/result.h"
#include "policy/placement.h"
#include "policy/pod.h"

namespace elbowroom::api {

// Lists of terms, constraints and tolerations that are longer are Invalid, and so are more terms
// and expressions than that in all: every one is asked about every node.
inline constexpr std::size_t kMaxPlacementTerms = 1'000;

// `pod` gives the namespace and the labels. Invalid: unknown operators, effects and policies,
// numbers out of their range, values where there must be none, an empty topologyKey.
[[nodiscard]] Result<policy::Placement> decode_placement(const Field& spec, const policy::Pod& pod);

}  // namespace elbowroom::api
