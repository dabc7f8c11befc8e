// What reaches the reactor's thread: things that were seen, and questions. It is bounded, and
// whoever puts into a full one waits; effects in flight are fewer than it holds.
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
