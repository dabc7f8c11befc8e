// Takes entries of nodes to avoid away once they have ended: ours alone, one write for a node and
// pass. A node's entries are known by the watch; the annotation itself is read just before it is
// written.
//
//   an entry has ended --> due --> DropAvoided --> Done: nothing, until the node's entries change
//                           ^          |
//                           +----------+ Conflict, another error: later
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/deadline_queue.h"
#include "policy/model/node.h"
#include "policy/model/time.h"
#include "rescheduler/counters.h"
#include "rescheduler/outbox.h"
#include "rescheduler/turn.h"

namespace elbowroom::rescheduler {

class AvoidKeeper {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // Both must outlive it.
  AvoidKeeper(Outbox& outbox, Counts& counts) : outbox_(outbox), counts_(counts) {}

  // These are all nodes; the node is so now. `server`: the API server's clock.
  void listed(const std::vector<policy::Node>& nodes, Time now, policy::Time server);
  void saw(const policy::Node& node, Time now, policy::Time server);
  void gone(const std::string& node);

  void work(const Turn& turn);

  void dropped(const std::string& node);
  void not_dropped(const std::string& node, const Error& error, Time now);

  [[nodiscard]] std::optional<Time> next() const;

 private:
  struct Known {
    std::vector<policy::AvoidedController> entries{};
    std::vector<policy::AvoidedController> asked{};  // had ended when the node was looked at
    std::vector<policy::AvoidedController> left{};   // had ended, and were not ours to take away
    bool in_flight = false;
    int failures = 0;  // in a row
  };

  void look_again(const std::string& node, const Known& known, Time now, policy::Time server);

  Outbox& outbox_;
  Counts& counts_;
  std::map<std::string, Known, std::less<>> nodes_{};  // those with an entry that ends
  control::DeadlineQueue due_{};
};

}  // namespace elbowroom::rescheduler
