// What reaches the reactor's thread: things that were seen, and questions. It is bounded, and
// whoever puts into a full one waits; effects in flight are fewer than it holds.
#pragma once

#include <future>
#include <string>
#include <variant>

#include "agent/observation.h"
#include "agent/status.h"
#include "base/mailbox.h"

namespace elbowroom::agent {

using Seen = decltype(Observation::what);

// "Why is this pod the size it is?", from another thread; answered with JSON text, "" for no such
// pod.
struct Question {
  std::string pod{};  // NAMESPACE/NAME
  std::promise<std::string> answer{};
};

// "How are you?"
struct Checkup {
  std::promise<Snapshot> answer{};
};

using Message = std::variant<Seen, Question, Checkup>;
using Inbox = Mailbox<Message>;

}  // namespace elbowroom::agent
