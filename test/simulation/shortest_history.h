// The shortest history found that breaks what a longer one breaks. The one thing to know: it breaks
// the same invariant, whichever pods and times that concerns.
#pragma once

#include "test/simulation/cluster_history.h"

namespace elbowroom::test {

// `broken` is what the history breaks. It is played again and again: this takes seconds.
[[nodiscard]] ClusterHistory shortest(const ClusterHistory& history, const std::string& broken);

}  // namespace elbowroom::test
