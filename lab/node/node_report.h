// What a pod runner reports to the API server about its node: the Node object, the Lease that
// renews its heartbeat, and its pods' addresses. Kernel and system are those of this machine, the
// version is our own, and nothing is made up: unknown fields are left out or empty.
#pragma once

#include <cstdint>
#include <string>

#include "lab/node/pod_plan.h"
#include "lab/node/pod_runner.h"
#include "lab/world/json.h"

namespace elbowroom::lab {

// Ready is False, with a kubelet's reason, while the runtime does not answer.
[[nodiscard]] Json node_object(const PodRunnerOptions& options, const RuntimeStatus& runtime,
                               std::int64_t now_ns);

// The node's Lease in namespace kube-node-lease. Its spec alone renews it.
[[nodiscard]] Json node_lease(const std::string& node, std::int64_t now_ns);
[[nodiscard]] std::string node_lease_path(const std::string& node);  // "": of them all

// Adds the known placement to a pod's status: PodScheduled, and the addresses. `pod_ip` may be "".
void add_place(const NodePod& pod, const std::string& host_ip, const std::string& pod_ip,
               std::int64_t now_ns, Json& status);

}  // namespace elbowroom::lab
