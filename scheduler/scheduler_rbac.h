// What elbowroom-scheduler asks the API server for: the rights of its collections, and those that
// its writes take (scheduler/wire.cpp). A test compares them with the manifests and with what a
// server sees.
#pragma once

#include <array>

#include "api/transport/rbac_rule.h"
#include "scheduler/collections.h"

namespace elbowroom::scheduler {

inline constexpr std::array<api::RbacRule, 25> kRights = {{
    control::right_to_list(row_of(Collection::Nodes)),
    control::right_to_watch(row_of(Collection::Nodes)),
    {.verb = "patch",
     .resource = "nodes",
     .why = "one dry run that asks for podPreemptionPolicy; a policy refuses all others"},
    {.verb = "get", .resource = "pods", .why = "the one that others are to go for, before they do"},
    control::right_to_list(row_of(Collection::Pods)),
    control::right_to_watch(row_of(Collection::Pods)),
    {.verb = "delete", .resource = "pods", .why = "makes room"},
    {.verb = "patch",
     .resource = "pods/status",
     .why =
         "DisruptionTarget of those that go; in mode full why a pod is not placed, and where it is "
         "nominated to"},
    control::right_to_list(row_of(Collection::Budgets)),
    control::right_to_watch(row_of(Collection::Budgets)),
    control::right_to_list(row_of(Collection::OwnBudgets)),
    control::right_to_watch(row_of(Collection::OwnBudgets)),
    {.verb = "get",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets",
     .why = "one that another program has written meanwhile"},
    {.verb = "patch",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets/status",
     .why = "debits the pods that go, before they go"},
    control::right_to_list(row_of(Collection::PodGroups)),
    control::right_to_watch(row_of(Collection::PodGroups)),
    {.verb = "patch",
     .group = "scheduling.k8s.io",
     .resource = "podgroups/status",
     .why = "DisruptionTarget of those that go whole, and conditions that tell why a group waits"},
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
inline constexpr std::array<api::RbacRule, 4> kFullRights = {{
    control::right_to_list(row_of(Collection::Namespaces)),
    control::right_to_watch(row_of(Collection::Namespaces)),
    {.verb = "get",
     .group = "scheduling.k8s.io",
     .resource = "podgroups",
     .why = "the one that others are to go for, before they do"},
    {.verb = "create", .resource = "pods/binding", .why = "places the pending pods that name it"},
}};

}  // namespace elbowroom::scheduler
