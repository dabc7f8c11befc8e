// Explains a pod's size, as the ResizeDecision document that simulate prints, with one more member
// for the rest of the explanation. It calls the same functions on the reactor's state, so it cannot
// contradict the reactor.
#pragma once

#include <string>

#include "agent/reactor.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

// Returns JSON; "" if the pod (NAMESPACE/NAME) or the Node is not known. `safe_mode`: why the agent
// only observes; "": it does not.
[[nodiscard]] std::string explain(const Reactor& reactor, const std::string& pod,
                                  const ReactorOptions& options, policy::Time now,
                                  const std::string& safe_mode = "");

}  // namespace elbowroom::agent
