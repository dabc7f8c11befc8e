// An event that a daemon reported about an object, as the lab keeps it. It is stored as reported;
// the event recorder applies counts and rates when it writes events.
#pragma once

#include <string>

namespace elbowroom::lab {

struct ReportedEvent {
  std::string by{};   // agent, or scheduler
  std::string pod{};  // NAMESPACE/NAME; "": about the Node
  bool warning = false;
  std::string reason{};
  std::string note{};

  friend bool operator==(const ReportedEvent&, const ReportedEvent&) = default;
};

}  // namespace elbowroom::lab
