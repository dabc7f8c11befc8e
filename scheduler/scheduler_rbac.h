// What elbowroom-scheduler asks the API server for. It is what api_worker.cpp does; see
// api/transport/rbac_rule.h for who compares.
#pragma once

#include <array>

#include "api/transport/rbac_rule.h"

namespace elbowroom::scheduler {

inline constexpr std::array<api::RbacRule, 20> kRights = {{
    {.verb = "list", .resource = "nodes", .why = "all"},
    {.verb = "watch", .resource = "nodes", .why = "all"},
    {.verb = "patch",
     .resource = "nodes",
     .why = "one dry run that asks for podPreemptionPolicy; a policy refuses all others"},
    {.verb = "get", .resource = "pods", .why = "the one that others are to go for, before they do"},
    {.verb = "list", .resource = "pods", .why = "all that have not finished"},
    {.verb = "watch", .resource = "pods", .why = "all that have not finished"},
    {.verb = "delete", .resource = "pods", .why = "makes room"},
    {.verb = "patch",
     .resource = "pods/status",
     .why =
         "DisruptionTarget of those that go; in mode full why a pod is not placed, and where it is "
         "nominated to"},
    {.verb = "list", .group = "policy", .resource = "poddisruptionbudgets", .why = "all"},
    {.verb = "watch", .group = "policy", .resource = "poddisruptionbudgets", .why = "all"},
    {.verb = "list",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets",
     .why = "all; where the kind is installed"},
    {.verb = "watch",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets",
     .why = "all; where the kind is installed"},
    {.verb = "create", .group = "events.k8s.io", .resource = "events", .why = "tells what it did"},
    {.verb = "patch",
     .group = "events.k8s.io",
     .resource = "events",
     .why = "counts what happens again"},
    {.verb = "create",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "the first to lead makes them",
     .ns = "kube-system"},
    {.verb = "list",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "who leads",
     .ns = "kube-system",
     .name = "elbowroom-scheduler"},
    {.verb = "watch",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "who leads",
     .ns = "kube-system",
     .name = "elbowroom-scheduler"},
    {.verb = "update",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "leads, and gives it back",
     .ns = "kube-system",
     .name = "elbowroom-scheduler"},
    {.verb = "get",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "what the circuit breaker counted before this process; nobody holds this Lease",
     .ns = "kube-system",
     .name = "elbowroom-scheduler-breaker"},
    {.verb = "update",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "what the circuit breaker counts, before pods go",
     .ns = "kube-system",
     .name = "elbowroom-scheduler-breaker"},
}};

// What it asks for besides in mode full.
inline constexpr std::array<api::RbacRule, 3> kFullRights = {{
    {.verb = "list", .resource = "namespaces", .why = "all: terms about other pods select by them"},
    {.verb = "watch",
     .resource = "namespaces",
     .why = "all: terms about other pods select by them"},
    {.verb = "create", .resource = "pods/binding", .why = "places the pending pods that name it"},
}};

}  // namespace elbowroom::scheduler
