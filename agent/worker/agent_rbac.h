// What elbowroomd asks the API server for, in each of its modes: the rights of its collections, and
// those that its writes take (agent/worker/api_worker.cpp). A test compares them with the manifests
// and with what a server sees.
#pragma once

#include <array>

#include "agent/worker/collections.h"
#include "api/transport/rbac_rule.h"

namespace elbowroom::agent {

inline constexpr std::array<api::RbacRule, 7> kCompanionRights = {{
    control::right_to_list(kNodes),
    control::right_to_watch(kNodes),
    {.verb = "patch", .resource = "nodes", .why = "takes its own annotation away"},
    control::right_to_list(kPods),
    control::right_to_watch(kPods),
    {.verb = "patch",
     .resource = "pods/status",
     .why = "the condition PodResizePreemptionDisabled"},
    {.verb = "create",
     .group = "events.k8s.io",
     .resource = "events",
     .why = "tells that it crashed again and again, and only observes"},
}};

inline constexpr std::array<api::RbacRule, 13> kAuthorityRights = {{
    control::right_to_list(kNodes),
    control::right_to_watch(kNodes),
    {.verb = "patch",
     .resource = "nodes",
     .why = "its own annotation; and a dry run that asks for podPreemptionPolicy"},
    {.verb = "get", .resource = "pods", .why = "before figures are written into a status"},
    control::right_to_list(kPods),
    control::right_to_watch(kPods),
    {.verb = "delete", .resource = "pods", .why = "makes room for critical pods"},
    {.verb = "patch",
     .resource = "pods/status",
     .why = "resize conditions and figures; DisruptionTarget of those that go"},
    {.verb = "list",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets",
     .why = "what hard ones allow, before room is made for a critical pod"},
    {.verb = "get",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets",
     .why = "the ledger that a pod is entered in"},
    {.verb = "patch",
     .group = "elbowroom.dev",
     .resource = "disruptionbudgets/status",
     .why = "enters the pods that went"},
    {.verb = "create", .group = "events.k8s.io", .resource = "events", .why = "tells what it did"},
    {.verb = "patch",
     .group = "events.k8s.io",
     .resource = "events",
     .why = "counts what happens again"},
}};

}  // namespace elbowroom::agent
