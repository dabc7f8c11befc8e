// What the scheduler's log tells of effects, observations and the watches. Whatever ends something
// of a user's is a line with why, and every event is one too; debug has every effect and its
// failure.
#pragma once

#include <vector>

#include "daemon/log/log_entry.h"
#include "scheduler/api_worker.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

// Of an effect that is about to be performed.
[[nodiscard]] std::vector<daemon::LogEntry> lines_of(const Effect& effect);

// Of an observation, where a line is worth it: what failed, what is lost and back.
[[nodiscard]] std::vector<daemon::LogEntry> lines_of(const Observation& seen);

// Lists and watches that were begun between two rounds.
[[nodiscard]] std::vector<daemon::LogEntry> lines_of(const ApiRound& before, const ApiRound& now);

// What stands between the Lease and us: the last write of it that failed for another reason than
// that somebody else was faster; "" where none did, or one has succeeded since.
class LeaseError {
 public:
  void performed(const Effect& effect);
  void seen(const Observation& seen);
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  EffectId last_ = 0;  // that wrote the Lease
  std::string why_{};
};

}  // namespace elbowroom::scheduler
