// Observations and effects in a few words each, for people who read a recording. Names from the
// cluster are in them unchanged; any program that prints them must make them fit to print.
#pragma once

#include <string>

#include "rescheduler/effect.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

// "pod default/web seen, generation 2", without the time.
[[nodiscard]] std::string in_words(const Observation& seen);
// "#7 write disruption budget default/db: allows 1".
[[nodiscard]] std::string in_words(const Effect& effect);

}  // namespace elbowroom::rescheduler
