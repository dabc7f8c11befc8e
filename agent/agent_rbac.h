// What elbowroomd asks the API server for, in each of its modes. It is what api_worker.cpp does;
// see api/transport/rbac_rule.h for who compares.
#pragma once

#include <array>

#include "api/transport/rbac_rule.h"

namespace elbowroom::agent {

inline constexpr std::array<api::RbacRule, 7> kCompanionRights = {{
    {.verb = "list", .resource = "nodes", .why = "its own Node"},
    {.verb = "watch", .resource = "nodes", .why = "its own Node"},
    {.verb = "patch", .resource = "nodes", .why = "takes its own annotation away"},
    {.verb = "list", .resource = "pods", .why = "those of its node"},
    {.verb = "watch", .resource = "pods", .why = "those of its node"},
    {.verb = "patch",
     .resource = "pods/status",
     .why = "the condition PodResizePreemptionDisabled"},
    {.verb = "create",
     .group = "events.k8s.io",
     .resource = "events",
     .why = "tells that it crashed again and again, and only observes"},
}};

inline constexpr std::array<api::RbacRule, 10> kAuthorityRights = {{
    {.verb = "list", .resource = "nodes", .why = "its own Node"},
    {.verb = "watch", .resource = "nodes", .why = "its own Node"},
    {.verb = "patch",
     .resource = "nodes",
     .why = "its own annotation; and a dry run that asks for podPreemptionPolicy"},
    {.verb = "get", .resource = "pods", .why = "before figures are written into a status"},
    {.verb = "list", .resource = "pods", .why = "those of its node"},
    {.verb = "watch", .resource = "pods", .why = "those of its node"},
    {.verb = "delete", .resource = "pods", .why = "makes room for critical pods"},
    {.verb = "patch",
     .resource = "pods/status",
     .why = "resize conditions and figures; DisruptionTarget of those that go"},
    {.verb = "create", .group = "events.k8s.io", .resource = "events", .why = "tells what it did"},
    {.verb = "patch",
     .group = "events.k8s.io",
     .resource = "events",
     .why = "counts what happens again"},
}};

}  // namespace elbowroom::agent
