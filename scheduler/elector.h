// The elector under the names that the reactor uses; see control/elector.h.
#pragma once

#include "control/elector.h"

namespace elbowroom::scheduler {

using control::answered_by;
using control::Elector;
using control::ElectorOptions;

}  // namespace elbowroom::scheduler
