// Decodes the containers of a Pod and their statuses one by one. It is part of decode_pod().
// Containers that do not become part of a tree arrive here separately (pod_reader.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/field.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// What a status says about its container.
struct ContainerStatusFields {
  std::string name{};
  policy::RunState state = policy::RunState::None;
  std::optional<policy::Resources> allocated_requests{};
  std::optional<policy::Resources> actual_requests{};
  std::optional<policy::Resources> actual_limits{};
};

// The containers and statuses that are not in the tree.
struct ContainerParts {
  std::vector<policy::Container> containers{};
  std::vector<policy::Container> init_containers{};
  std::vector<ContainerStatusFields> statuses{};
  std::vector<ContainerStatusFields> init_statuses{};
  std::optional<Error> error{};  // the first one

  // One item of spec.containers, spec.initContainers, status.containerStatuses or
  // status.initContainerStatuses.
  void take(std::string_view list, const Value& item);
  [[nodiscard]] std::size_t size() const {
    return containers.size() + init_containers.size() + statuses.size() + init_statuses.size();
  }
};

// Puts the containers into the pod, init containers first. Invalid: no regular container, or a name
// that is missing, too long or duplicate.
[[nodiscard]] Result<void> decode_containers(const Field& spec, const ContainerParts* parts,
                                             policy::Pod& pod);

// A container's request of a resource that it has no request of is its limit. Source: kubernetes
// pkg/apis/core/v1/defaults.go, SetDefaults_Pod.
void default_request(policy::Requirements& requirements, std::string_view name);

// Fills in the pod-level requests of a pod that has pod-level limits: those of its containers, and
// of what no container requests the limit. After decode_containers(). Source: kubernetes
// pkg/apis/core/v1/defaults.go, defaultPodRequests.
void default_pod_level(const Field& resources, policy::Pod& pod);

// Puts the contents of the statuses into the pod's containers.
[[nodiscard]] Result<void> decode_container_statuses(const Field& status,
                                                     const ContainerParts* parts, policy::Pod& pod);

// The requests and limits at that place.
[[nodiscard]] Result<policy::Requirements> decode_requirements(const Field& at);

}  // namespace elbowroom::api
