// What a daemon told of an object by an event, as the lab keeps it. The one thing to know: it is
// kept as it was told; folding into counts and rates is the event recorder's, when it is written.
#pragma once

#include <string>

namespace elbowroom::lab {

struct ToldEvent {
  std::string by{};   // agent, or scheduler
  std::string pod{};  // NAMESPACE/NAME; "": about the Node
  bool warning = false;
  std::string reason{};
  std::string note{};

  friend bool operator==(const ToldEvent&, const ToldEvent&) = default;
};

}  // namespace elbowroom::lab
