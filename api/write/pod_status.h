// The bodies of writes to pods/status and podgroups/status: our conditions, merged by type, and the
// two resource fields of container statuses, put into the list as read. Container statuses are one
// atomic list. So the list is written back completely, unchanged except for our fields, with the
// resourceVersion as precondition.
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

// The changes for one container (regular, sidecar or init); nullopt leaves a field unchanged.
struct ContainerAmounts {
  std::string name{};
  std::optional<policy::Resources> allocated{};  // allocatedResources
  std::optional<policy::Requirements> actual{};  // resources.requests, resources.limits

  friend bool operator==(const ContainerAmounts&, const ContainerAmounts&) = default;
};

// A node does not run the pod: phase Failed.
struct PodRejection {
  std::string reason{};
  std::string message{};

  friend bool operator==(const PodRejection&, const PodRejection&) = default;
};

struct PodStatusChange {
  policy::Conditions set{};          // including lastTransitionTime and observedGeneration
  std::vector<std::string> clear{};  // types of conditions to remove
  std::vector<ContainerAmounts> containers{};
  std::optional<policy::Resources> pod_allocated{};  // status.allocatedResources
  std::optional<policy::Requirements> pod_actual{};  // status.resources
  std::optional<std::string> nominated_node{};       // status.nominatedNodeName; "" removes it
  // How its node admits it: status.startTime, or phase, reason and message of one that it rejects.
  std::optional<policy::Time> started{};
  std::optional<PodRejection> rejected{};
  std::string read_at{};  // the resourceVersion of the decision; "": any

  friend bool operator==(const PodStatusChange&, const PodStatusChange&) = default;
};

// As metav1.Condition has it, with what it says of the two optional members.
[[nodiscard]] Value encode_condition(const policy::Condition& condition);

// True if the pod must be read first.
[[nodiscard]] bool touches_resources(const PodStatusChange& change);

// A strategic merge patch of conditions and the nomination only, guarded by the uid and by
// `change.read_at`.
[[nodiscard]] std::string conditions_patch(const std::string& uid, const PodStatusChange& change);

// The same for a pod group's conditions, guarded by its uid. Internal: a condition without a reason
// or a lastTransitionTime, or a group without namespace, name and uid. Source: meta/v1 Condition.
[[nodiscard]] Result<std::string> group_conditions_patch(const ObjectRef& group,
                                                         const policy::Conditions& set);

// A strategic merge patch of the whole change, guarded by uid and resourceVersion of `pod` as just
// read; nullopt if nothing changes. Conflict: `pod` is another pod than `ref` or another version
// than `change.read_at`, or a named container has no status yet.
[[nodiscard]] Result<std::optional<std::string>> status_patch(const ObjectRef& ref,
                                                              const PodStatusChange& change,
                                                              const Value& pod);

}  // namespace elbowroom::api
