// What the programs leave in a cluster when they are stopped, and the one write that removes each.
// A write names the object's uid, and the version or the value that was read, as preconditions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/http.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::cli {

struct Leftover {
  std::string kind{};    // "Pod", "Node", "PodGroup", "Lease", "ConfigMap"
  std::string object{};  // NAMESPACE/NAME; the name of a Node
  std::string what{};    // "condition PodResizePreemptionDisabled"
  std::string path{};    // of the object in the API
  api::Request removal{};
};

// In a Pod that does not terminate: the conditions that an agent or a scheduler of ours has
// written, and the nomination of one that names our scheduler and has no node. In a PodGroup: the
// DisruptionTarget of ours; PodGroupInitiallyScheduled does not say who wrote it. In a Node: our
// annotation, and our entries of preferAvoidPods. Not what users wrote: disable-resize-preemption,
// entries of others. Other kinds have none. Invalid: metadata or conditions that are malformed.
[[nodiscard]] Result<std::vector<Leftover>> leftovers_in(const Value& object);

// The whole object, a Lease or a ConfigMap. Invalid: it has no uid.
[[nodiscard]] Result<Leftover> leftover_object(const Value& object, std::string_view path);

}  // namespace elbowroom::cli
