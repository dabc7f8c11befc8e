// How the rescheduler's reactor decides, for its whole life.
#pragma once

#include <optional>

#include "control/elector.h"
#include "policy/moves/move_rules.h"

namespace elbowroom::rescheduler {

struct ReactorOptions {
  bool dry_run = false;  // decide and explain, write nothing but the Lease
  bool leader_elect = true;
  // Of moves, from the process's own file. None: a ConfigMap has them.
  std::optional<policy::MoveRules> rules{};
  // Nothing was ever moved before. Otherwise all owners rest once where no record is found.
  bool has_no_past = false;
  control::ElectorOptions elector{};
};

}  // namespace elbowroom::rescheduler
