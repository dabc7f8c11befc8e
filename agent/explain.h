// Why a pod is the size it is, as the ResizeDecision document that simulate prints, with the rest
// of the explanation as one more member. It asks the same functions on what the reactor knows, so
// it cannot disagree with it.
#pragma once

#include <string>

#include "agent/reactor.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

// JSON text; "" where the pod (NAMESPACE/NAME) or the Node is not known. `safe_mode`: why the agent
// only observes; "": it does not.
[[nodiscard]] std::string explain(const Reactor& reactor, const std::string& pod,
                                  const ReactorOptions& options, policy::Time now,
                                  const std::string& safe_mode = "");

}  // namespace elbowroom::agent
