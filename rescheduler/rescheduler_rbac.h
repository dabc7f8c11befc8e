// What elbowroom-rescheduler asks the API server for: the rights of its collections, and those that
// its writes take (rescheduler/wire.cpp). A test compares them with the manifests and with what a
// server sees.
#pragma once

#include <array>

#include "api/transport/rbac_rule.h"
#include "rescheduler/collections.h"

namespace elbowroom::rescheduler {

inline constexpr std::array<api::RbacRule, 14> kRights = {{
    control::right_to_list(row_of(Collection::Nodes)),
    control::right_to_watch(row_of(Collection::Nodes)),
    {.verb = "get", .resource = "nodes", .why = "the entries of pods to avoid, before they change"},
    {.verb = "patch",
     .resource = "nodes",
     .why = "takes ended entries of pods to avoid away; a policy refuses all others"},
    control::right_to_list(row_of(Collection::Pods)),
    control::right_to_watch(row_of(Collection::Pods)),
    control::right_to_list(row_of(Collection::Budgets)),
    control::right_to_watch(row_of(Collection::Budgets)),
    {.verb = "get",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets",
     .why = "one that is not understood, before its status says so"},
    {.verb = "patch",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets/status",
     .why = "what they allow, and their ledgers"},
    {.verb = "create",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "the first to lead makes it",
     .ns = "kube-system"},
    {.verb = "list",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "who leads",
     .ns = "kube-system",
     .name = "elbowroom-rescheduler"},
    {.verb = "watch",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "who leads",
     .ns = "kube-system",
     .name = "elbowroom-rescheduler"},
    {.verb = "update",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .why = "leads, and gives it back",
     .ns = "kube-system",
     .name = "elbowroom-rescheduler"},
}};

}  // namespace elbowroom::rescheduler
