// What the rescheduler's other threads may know of it, at one moment. It is a copy, handed over by
// the reactor's own thread; no other thread reads the reactor.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/https/https_server.h"
#include "rescheduler/counters.h"

namespace elbowroom::rescheduler {

struct ReschedulerStatus {
  bool leads = false;
  bool synced = false;
  std::string idle_because{};  // "" while it acts
  std::string lost{};          // what is not followed and why; "" while all is
  std::string lease{};   // why it could not lead although no other replica does; "" where it could
  std::string writes{};  // why the last status was not written; "" where it was
  std::string unseen{};  // what moves lack that is not followed; "": nothing
  std::string settings{};  // why the ConfigMap of moves is not in use; "": it is, or there is none
  std::string rests{};     // why the rests of owners were not written; "": they were
  daemon::HttpsServer::Health webhook{};
  bool has_webhook = false;
  std::uint64_t unread_reviews = 0;  // reviews and requests that could not be read
  Counts counts{};
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::size_t budgets = 0;     // that are understood
  std::size_t unreadable = 0;  // budgets that are not
  std::size_t moving = 0;      // moves that have not come to rest
  std::size_t resting = 0;     // owners
};

class Reactor;

[[nodiscard]] ReschedulerStatus rescheduler_status_of(const Reactor& reactor);

}  // namespace elbowroom::rescheduler
