// What `elbowroom evict` asks the API server for. A test compares these tables with the manifests
// and with what a server sees.
#pragma once

#include <array>

#include "api/transport/rbac_rule.h"

namespace elbowroom::cli {

inline constexpr std::array<api::RbacRule, 11> kEvictRights = {{
    {.verb = "get", .resource = "nodes", .why = "the pod's node"},
    {.verb = "get", .resource = "pods", .why = "the pod, again just before it is evicted"},
    {.verb = "list", .resource = "pods", .why = "whom the budgets count"},
    {.verb = "create", .resource = "pods/eviction", .why = "evicts, and asks before by a dry run"},
    {.verb = "list", .group = "policy", .resource = "poddisruptionbudgets", .why = "walls"},
    {.verb = "get",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets",
     .why = "just before they are debited"},
    {.verb = "list", .group = "elbowroom.dev", .resource = "disruptionbudgets", .why = "walls"},
    {.verb = "patch",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets/status",
     .why = "debits, and takes a debit back"},
    {.verb = "list",
     .group = "scheduling.k8s.io",
     .resource = "priorityclasses",
     .why = "to understand pods"},
    {.verb = "list",
     .group = "scheduling.k8s.io",
     .resource = "podgroups",
     .why = "where a pod names one"},
    {.verb = "create",
     .group = "events.k8s.io",
     .resource = "events",
     .why = "tells that the eviction is blocked"},
}};

// Besides, for --avoid-node. `avoid` is no verb of the API server: an admission policy knows by it
// whom to keep to the one annotation.
inline constexpr std::array<api::RbacRule, 3> kAvoidNodeRights = {{
    {.verb = "get", .resource = "nodes", .why = "the annotation as it is"},
    {.verb = "patch", .resource = "nodes", .why = "the annotation preferAvoidPods"},
    {.verb = "avoid", .resource = "nodes", .why = "asked for by the admission policy alone"},
}};

}  // namespace elbowroom::cli
