// What the scheduler's log tells of effects and observations; see control/log_lines.h for those
// that it shares with other daemons.
#pragma once

#include "control/log_lines.h"
#include "control/log_reports.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

// Of an effect that is about to be performed.
[[nodiscard]] control::LogLines lines_of(const Effect& effect);

// Of an observation, where a line is worth it: what failed, what is lost and back.
[[nodiscard]] control::LogLines lines_of(const Observation& seen);

struct LastTold : control::LastTold<Done> {
  LastTold()
      : control::LastTold<Done>{.leads = "leading: makes room", .idles = "making room for nobody"} {
  }
};

}  // namespace elbowroom::scheduler
