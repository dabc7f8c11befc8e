// What the agent's other threads may know of it: readiness and counts at one moment. The one thing
// to know: it is a copy; nobody looks into the reactor from outside.
#pragma once

#include <cstddef>
#include <vector>

#include "agent/reactor.h"

namespace elbowroom::agent {

struct Snapshot {
  std::vector<ReadyCheck> checks{};
  Counts counts{};
  std::size_t pods = 0;
};

}  // namespace elbowroom::agent
