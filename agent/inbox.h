// The mailbox of the reactor's thread: observations and questions. It is bounded, and a put into a
// full mailbox blocks. It has room for more than all effects in flight.
#pragma once

#include <variant>

#include "agent/observation.h"
#include "agent/status.h"
#include "base/mailbox.h"
#include "control/question.h"

namespace elbowroom::agent {

using Seen = decltype(Observation::what);

using control::Question;  // why is this pod the size it is?
using Checkup = control::Checkup<Snapshot>;

using Message = std::variant<Seen, Question, Checkup>;
using Inbox = Mailbox<Message>;

}  // namespace elbowroom::agent
