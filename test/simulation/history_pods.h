// The pods of the histories of agents, as objects of the API. Pods differ by their names: in their
// limits, in what restarts them, in how long they take to end, and in their containers.
#pragma once

#include <string>

#include "lab/world/json.h"
#include "test/simulation/history.h"

namespace elbowroom::test {

// What a history calls its nodes.
inline constexpr const char* kNode = "n";
inline constexpr const char* kSecondNode = "n2";

// What a pod consists of.
enum class Shape : std::uint8_t {
  Single,    // one container, "app"
  Pair,      // "app" and "side"
  Sidecar,   // "app" beside the sidecar "proxy", behind an init container
  PodLevel,  // "app" in a pod with resources of its own
};
[[nodiscard]] Shape shape_of(const std::string& pod);

// The pod that the step begins: `a` millicores and `b` MiB for its main container, priority `c`.
[[nodiscard]] lab::Json pod_object(const Step& step, const std::string& node);

// The patch of the step's resize. Where a pod has more than one size, the amounts choose which of
// them change.
[[nodiscard]] lab::Json resize_patch(const Step& step);

// The container whose memory use the step changes.
[[nodiscard]] std::string memory_user(const Step& step);

}  // namespace elbowroom::test
