// Explains a pod's size, as the ResizeDecision document that simulate prints, with one more member
// for the rest of the explanation. It calls the same functions on the reactor's state, so it cannot
// contradict the reactor.
#pragma once

#include <string>
#include <vector>

#include "agent/reactor.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

// Returns JSON; "" if the pod (NAMESPACE/NAME) or the Node is not known. `safe_mode`: why the agent
// only observes; "": it does not.
[[nodiscard]] std::string explain(const Reactor& reactor, const std::string& pod,
                                  const ReactorOptions& options, policy::Time now,
                                  const std::string& safe_mode = "");

// Why this agent's decisions have no effect; "": they have. A companion performs nothing anyway.
[[nodiscard]] std::string idle_because(const Reactor& reactor, const ReactorOptions& options,
                                       const std::string& safe_mode);

// What decides which pods go for that one, and is not known to this agent: as
// policy::ResizeQuestion::lacks.
[[nodiscard]] std::vector<std::string> lacks_of(const Reactor& reactor, const policy::Node& node,
                                                const policy::Pod& preemptor,
                                                const std::vector<policy::Pod>& pods);

}  // namespace elbowroom::agent
