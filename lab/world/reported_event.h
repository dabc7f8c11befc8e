// What a daemon told of an object by an event, as the lab keeps it. It is kept as it was told;
// folding into counts and rates is the event recorder's, when it is written.
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
