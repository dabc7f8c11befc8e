// What the log tells of the effects, observations and watches that daemons share. What ends
// something of a user's is a line with why, and every event is one too; debug has every effect and
// its failure. Where a daemon has an effect of its own, it has a lines_of() for it beside these.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/watch/watch_loop.h"
#include "base/match.h"
#include "control/api_round.h"
#include "control/collection.h"
#include "control/effect.h"
#include "control/observation.h"
#include "daemon/log/log_entry.h"

namespace elbowroom::control {

using LogLines = std::vector<daemon::LogEntry>;

[[nodiscard]] LogLines debug_line(std::string message, std::string err = {});

[[nodiscard]] LogLines lines_of(const EmitEvent& event);
[[nodiscard]] LogLines lines_of(const MarkVictim& mark);
[[nodiscard]] LogLines lines_of(const DeleteVictim& removal);
[[nodiscard]] LogLines lines_of(const WriteLease& write);
[[nodiscard]] LogLines lines_of(const GiveUpWrites& all);
[[nodiscard]] LogLines lines_of(const DaemonEffect& effect);
[[nodiscard]] LogLines failure_line(EffectId effect, const Error& error);

// Lists and watches that were begun between two rounds; `what` is followed.
void add_watch_lines(std::string_view what, const api::Freshness& before, const api::Freshness& now,
                     LogLines& lines);
[[nodiscard]] LogLines lines_of(const ApiRound& before, const ApiRound& now);

// Of an observation, where a line is worth it: what failed, what is lost and back. `table` is the
// daemon's.
template <class Collection, class Observation, class Table>
[[nodiscard]] LogLines lines_of_seen(const Observation& seen, const Table& table) {
  const auto words = [&](Collection of) {
    return std::string(table.at(static_cast<std::size_t>(of)).words);
  };
  return std::visit(
      Match{[](const Failed& failed) { return failure_line(failed.effect, failed.error); },
            [&](const Lost<Collection>& lost) {
              return debug_line(words(lost.of) + " are not followed", lost.why);
            },
            [&](const Back<Collection>& back) {
              return debug_line(words(back.of) + " are followed again");
            },
            [](const auto&) { return LogLines{}; }},
      seen.what);
}

// What keeps this replica from the Lease: the last write of it that failed for another reason than
// that another replica was faster; "" where none did, or one has succeeded since. Done is the
// daemon's.
template <class Done>
class LeaseError {
 public:
  void performed(const auto& effect) {
    if (std::holds_alternative<WriteLease>(effect.what)) last_ = effect.id;
  }
  void seen(const auto& seen) {
    if (const auto* done = std::get_if<Done>(&seen.what);
        done != nullptr && done->effect == last_) {
      why_.clear();
    }
    const auto* failed = std::get_if<Failed>(&seen.what);
    if (failed == nullptr || failed->effect != last_) return;
    why_ = failed->error.code == Code::Conflict ? "" : failed->error.message;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  EffectId last_ = 0;  // that wrote the Lease
  std::string why_{};
};

}  // namespace elbowroom::control
