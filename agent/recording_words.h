// Observations and effects in a few words each, for people who read a recording. Names from the
// cluster are in them as they are; whoever prints them makes them fit.
#pragma once

#include <string>

#include "agent/effect.h"
#include "agent/observation.h"

namespace elbowroom::agent {

// "pod default/web seen, generation 2", without the time.
[[nodiscard]] std::string in_words(const Observation& seen);
// "#7 write the status of default/web: set PodResizePending".
[[nodiscard]] std::string in_words(const Effect& effect);

}  // namespace elbowroom::agent
