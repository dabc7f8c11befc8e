// What would happen in a cluster at one moment if Elbowroom were installed there: which Deferred
// resizes get room and which pods go for them, where pending pods would be placed, which pods would
// be moved, and what protects pods or forbids to remove them. It uses the functions of `simulate`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"
#include "cli/preview/pending_placement.h"
#include "cli/preview/waiting_resizes.h"
#include "cli/preview/workload_counts.h"
#include "policy/model/time.h"
#include "policy/moves/move_plan.h"

namespace elbowroom::cli {

// A node whose policy forbids preemption for resizes.
struct NodePolicy {
  std::string node{};
  std::vector<std::string> owners{};

  friend bool operator==(const NodePolicy&, const NodePolicy&) = default;
};

struct MovePreview {
  policy::MovePlan plan{};
  bool by_defaults = false;  // no policy is on: these are the moves with both on, at their defaults
};

// A part whose objects were not read is Denied: the error says what was not permitted.
struct Preview {
  policy::Time now{};
  std::string server{};                  // "": the objects are from files
  std::int64_t requests = 0;             // that were sent to it, all of which read
  std::vector<std::string> installed{};  // programs of ours whose Lease is there, and who leads
  Result<std::int64_t> nodes = 0;
  Result<std::int64_t> pods = 0;  // that have not finished
  Result<WaitingResizes> resizes{};
  Result<PendingPlacement> pending{};
  Result<MovePreview> moves{};
  Result<WorkloadCounts> unprotected{};     // no budget covers them
  Result<WorkloadCounts> of_no_priority{};  // priority 0, or none
  Result<std::vector<NodePolicy>> policies{};
  std::vector<std::string> not_read{};  // rights that were denied
};

// What a preview is made from.
struct PreviewInput {
  const DecodedObjects& objects;
  // "pods", "poddisruptionbudgets.policy": what may not be read, with the right that is missing.
  std::vector<DeniedRight> denied{};
  std::optional<policy::Time> now{};  // none: the newest time in the input
};

[[nodiscard]] Preview preview_of(const PreviewInput& input);

}  // namespace elbowroom::cli
