// The API server's rules for pod groups and workloads that a client writes: defaults, priority
// admission, the protecting finalizer, refused values and changes. Codes and texts are those of
// Kubernetes 1.37 with the gates GenericWorkload, PodGroupPreemptionPolicy and CompositePodGroup.
// Source: kubernetes plugin/pkg/admission/priority; pkg/apis/scheduling/v1beta1, validation.
#pragma once

#include <optional>
#include <string_view>

#include "lab/apiserver/api_error.h"
#include "lab/world/json.h"
#include "lab/world/pod_rules.h"

namespace elbowroom::lab {

// A group is gone only when this is taken away: see lab/world/pod_group_protection.h.
inline constexpr std::string_view kPodGroupFinalizer = "scheduling.k8s.io/podgroup-protection";

// Sets what a group leaves out: mode single, the priority and the preemption policy of its class,
// of the default class, or none. 403: a class that does not exist, a priority or a policy other
// than that of the class. 422: no mode or two, no policy or two, minCount below 1.
[[nodiscard]] Answer<Json> admitted_pod_group(Json group, const PriorityLookup& priorities);

// The same for a group from a file: what it says stays, and nothing is refused. The words of older
// versions for its mode become the newer form.
[[nodiscard]] Json loaded_pod_group(Json group, const PriorityLookup& priorities);

void add_pod_group_finalizer(Json& group);

// Removes fields whose gate is off (TopologyAwareWorkloadScheduling) from a group or a workload,
// unless the object that it replaces has them; `before` is null for a new object.
void drop_group_constraints(const Json& before, Json& object);

// What an update of a group leaves out and no admission sets.
void default_pod_group_update(Json& group);

// 422: only minCount may change.
[[nodiscard]] std::optional<ApiError> refuse_pod_group_update(const Json& before,
                                                              const Json& after);

// 422: no templates, more than 8, or one that no group could be made of.
[[nodiscard]] std::optional<ApiError> refuse_workload(const Json& workload);
[[nodiscard]] std::optional<ApiError> refuse_workload_update(const Json& before, const Json& after);

}  // namespace elbowroom::lab
