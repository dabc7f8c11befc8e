// What the rescheduler's log tells of effects and observations; see control/log_lines.h for those
// that it shares with other daemons.
#pragma once

#include "control/log_lines.h"
#include "control/log_reports.h"
#include "rescheduler/effect.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

// Of an effect that is about to be performed.
[[nodiscard]] control::LogLines lines_of(const Effect& effect);

// Of an observation, where a line is worth it: what failed, what is lost and back.
[[nodiscard]] control::LogLines lines_of(const Observation& seen);

struct LastTold : control::LastTold<Done> {
  LastTold()
      : control::LastTold<Done>{
            .leads =
                "leading: keeps the status of disruption budgets, and moves pods as configured",
            .idles = "keeping no status"} {}
};

}  // namespace elbowroom::rescheduler
