// The mailbox of the reactor's thread (control/inbox.h). It has room for more than all effects in
// flight.
#pragma once

#include "agent/observation.h"
#include "agent/status.h"
#include "control/inbox.h"

namespace elbowroom::agent {

using Seen = decltype(Observation::what);
using Message = control::Message<Observation, Snapshot>;
using Inbox = control::Inbox<Observation, Snapshot>;

}  // namespace elbowroom::agent
