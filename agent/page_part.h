// What the agent's page shows: its node, and the pods there as they are judged.
#pragma once

#include <string>

#include "agent/reactor.h"
#include "page/page_part.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

// `idle`: why the agent's decisions have no effect; "": they have.
[[nodiscard]] page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked,
                                       policy::Time now, const std::string& idle);

}  // namespace elbowroom::agent
