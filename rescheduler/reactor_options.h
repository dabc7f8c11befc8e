// How the rescheduler's reactor decides, for its whole life.
#pragma once

#include "control/elector.h"

namespace elbowroom::rescheduler {

struct ReactorOptions {
  bool dry_run = false;  // decide and explain, write nothing but the Lease
  bool leader_elect = true;
  control::ElectorOptions elector{};
};

}  // namespace elbowroom::rescheduler
