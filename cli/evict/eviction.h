// Evicts one pod as a good citizen does: it obeys PodDisruptionBudgets and DisruptionBudgets,
// debits the latter first, keeps the pod's successor away from the node if it is asked to, and
// takes both back where the pod is not evicted.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/evict/cluster_writer.h"
#include "cli/evict/eviction_decision.h"
#include "cli/input/cluster_reader.h"
#include "cli/input/object_name.h"

namespace elbowroom::cli {

struct EvictionWish {
  ObjectName pod{};
  std::optional<std::chrono::seconds> grace{};  // none: the pod's own
  bool is_forced = false;                       // also a pod without a controller
  bool is_dry_run = false;
  std::chrono::seconds wait{0};  // how long a budget may block it
  // How long the pods of its controller avoid its node; none: they may come back.
  std::optional<std::chrono::seconds> avoid_for{};
};

// How an eviction sees the world besides the cluster.
struct EvictionSurroundings {
  std::function<std::chrono::steady_clock::time_point()> now{};
  std::function<void(std::chrono::milliseconds)> pause{};
  std::function<void(const std::string&)> tell{};
};

// One attempt, and more while a budget blocks it and `wait` lasts. NotFound: there is no such pod;
// Denied: a right is missing; Conflict: another pod has the name meanwhile; Unavailable: the server
// does not answer.
[[nodiscard]] Result<EvictionDecision> evict(ClusterReader& reader, ClusterWriter& writer,
                                             const EvictionWish& wish,
                                             const EvictionSurroundings& surroundings);

}  // namespace elbowroom::cli
