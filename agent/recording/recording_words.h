// Observations and effects in a few words each, for people who read a recording. Names from the
// cluster are included unchanged; the code that prints them must sanitize them.
#pragma once

#include <string>

#include "agent/effect.h"
#include "agent/observation.h"

namespace elbowroom::agent {

// Returns "pod default/web seen, generation 2", without the time.
[[nodiscard]] std::string in_words(const Observation& seen);
// Returns "#7 write the status of default/web: set PodResizePending".
[[nodiscard]] std::string in_words(const Effect& effect);

}  // namespace elbowroom::agent
