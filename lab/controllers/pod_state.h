// What controllers ask of a pod. Source: kubernetes pkg/controller/controller_utils.go,
// pkg/api/v1/pod/util.go.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lab/controllers/controller_step.h"
#include "lab/world/json.h"
#include "lab/world/object.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

[[nodiscard]] bool is_finished_pod(const Json& pod);  // Succeeded or Failed
// Neither finished nor terminating.
[[nodiscard]] bool is_active_pod(const Json& pod);
[[nodiscard]] bool is_ready_pod(const Json& pod);
// When a ready pod has been ready for that many seconds; nothing: it is not ready. A pod whose
// condition has no time became ready long ago.
[[nodiscard]] std::optional<policy::Time> available_since(const Json& pod,
                                                          std::int64_t min_ready_seconds);

struct PodCounts {
  std::int64_t ready = 0;
  std::int64_t available = 0;
};
// Of these pods. When the next one becomes available is added to `step`.
[[nodiscard]] PodCounts count_pods(const std::vector<Object>& pods, std::int64_t min_ready_seconds,
                                   policy::Time now, ControllerStep& step);

// Orders pods by how little they are wanted, the least wanted first: unassigned, pending, not
// ready, cheap to delete (controller.kubernetes.io/pod-deletion-cost), young.
void sort_least_wanted_first(std::vector<Object>& pods);

}  // namespace elbowroom::lab
