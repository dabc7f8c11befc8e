// The mailbox of a reactor's thread: observations and questions. It is bounded, and a put into a
// full mailbox blocks.
#pragma once

#include <variant>

#include "base/mailbox.h"
#include "control/question.h"

namespace elbowroom::control {

template <class Observation, class Status>
using Message = std::variant<decltype(Observation::what), Question, PageQuestion, Checkup<Status>>;

template <class Observation, class Status>
using Inbox = Mailbox<Message<Observation, Status>>;

}  // namespace elbowroom::control
