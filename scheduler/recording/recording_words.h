// Observations and effects in a few words each, for people who read a recording. Names from the
// cluster are in them unchanged; any program that prints them must make them fit to print.
#pragma once

#include <string>

#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

// "pod default/web seen, generation 2", without the time.
[[nodiscard]] std::string in_words(const Observation& seen);
// "#7 mark default/batch".
[[nodiscard]] std::string in_words(const Effect& effect);

}  // namespace elbowroom::scheduler
