// What the log tells of readiness: that a part was lost, and that it is back. The one thing to
// know: each is told once, however often it is seen, and what a start waits for is no loss.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/snapshot.h"

namespace elbowroom::agent {

class HealthNews {
 public:
  // What changed since the last time: of a check that is lost with its reason, of one that is back
  // without. What the first checks lack is being waited for; it is told where its reason changes.
  [[nodiscard]] std::vector<ReadyCheck> take(const std::vector<ReadyCheck>& checks);

 private:
  struct Known {
    ReadyCheck check{};
    bool told = false;  // that it is lost
  };
  std::map<std::string, Known, std::less<>> known_{};
};

}  // namespace elbowroom::agent
