// What the agent's page shows: its node, and the pods there as they are judged.
#pragma once

#include "agent/reactor.h"
#include "page/page_part.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

[[nodiscard]] page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked,
                                       policy::Time now);

}  // namespace elbowroom::agent
