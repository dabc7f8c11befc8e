// The agent as a pod of a DaemonSet (packaging/kustomize/companion), as the agent of the host sees
// it.
#pragma once

#include "policy/model/pod.h"

namespace elbowroom::agent {

// Returns true if an agent works in this pod: it is Ready, not terminating, and of a DaemonSet in
// kube-system named elbowroom-agent, with any prefix and suffix. Who may make that DaemonSet is
// trusted; a DaemonSet in another namespace never counts, because its user need not be.
[[nodiscard]] bool is_working_companion(const policy::Pod& pod);

}  // namespace elbowroom::agent
