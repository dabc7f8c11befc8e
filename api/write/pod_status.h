// The bodies of writes to pods/status: our conditions merged by type, and the two resource fields
// of container statuses put into the list as it was read. Container statuses are one atomic list,
// so it is written back whole, unchanged but for our fields, with the resourceVersion it was read
// at as precondition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/codec/object_ref.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/condition.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// What is written about one container (regular, sidecar or init); nullopt leaves a field as it is.
struct ContainerAmounts {
  std::string name{};
  std::optional<policy::Resources> allocated{};  // allocatedResources
  std::optional<policy::Requirements> actual{};  // resources.requests, resources.limits

  friend bool operator==(const ContainerAmounts&, const ContainerAmounts&) = default;
};

struct PodStatusChange {
  policy::Conditions set{};          // with their lastTransitionTime and observedGeneration
  std::vector<std::string> clear{};  // types of conditions to take away
  std::vector<ContainerAmounts> containers{};
  std::optional<policy::Resources> pod_allocated{};  // status.allocatedResources
  std::optional<policy::Requirements> pod_actual{};  // status.resources
  std::optional<std::string> nominated_node{};       // status.nominatedNodeName; "" takes it away
  std::string read_at{};  // the resourceVersion by which it was decided; "": any

  friend bool operator==(const PodStatusChange&, const PodStatusChange&) = default;
};

// True when the pod must be read first.
[[nodiscard]] bool touches_resources(const PodStatusChange& change);

// A strategic merge patch of conditions and the nomination alone, guarded by the uid and by
// `change.read_at`.
[[nodiscard]] std::string conditions_patch(const std::string& uid, const PodStatusChange& change);

// A strategic merge patch of the whole change, guarded by uid and resourceVersion of `pod` as just
// read; nullopt where the pod is already so. Conflict: `pod` is another one than `ref` or of
// another version than `change.read_at`, or a container named has no status yet.
[[nodiscard]] Result<std::optional<std::string>> status_patch(const ObjectRef& ref,
                                                              const PodStatusChange& change,
                                                              const Value& pod);

}  // namespace elbowroom::api
