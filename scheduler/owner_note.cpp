#include "scheduler/owner_note.h"

#include <chrono>

#include "api/timestamp.h"

namespace elbowroom::scheduler {

OwnerNote note_of(TurnResult result, std::string_view why, std::string_view victims) {
  switch (result) {
    case TurnResult::Preempts:
      return {.words = "Removing " + std::string(victims) + " makes room for the resize",
              .warning = false,
              .joint = ", expected by "};
    case TurnResult::Awaits:
      return {.words = "The resize waits: " + std::string(why),
              .warning = false,
              .joint = ", expected by "};
    case TurnResult::Yields:
    case TurnResult::NodesTurn:
      return {.words = "The resize waits: " + std::string(why), .warning = false};
    // It fits, or is tried again at once.
    case TurnResult::Fits:
    case TurnResult::Busy:
    case TurnResult::Overtaken:
    case TurnResult::Outdated:
    case TurnResult::Failed:
      return {};
    case TurnResult::Disabled:
    case TurnResult::PolicyNever:
    case TurnResult::NoVictims:
    case TurnResult::TooMany:
    case TurnResult::Broken:
    case TurnResult::Refused:
    case TurnResult::Unknown:
    case TurnResult::Unclear:
    // Pending pods are told otherwise.
    case TurnResult::Binds:
    case TurnResult::Unschedulable:
    case TurnResult::Gated:
      return {.words = "No room is made for the resize: " + std::string(why)};
  }
  return {};
}

std::string in_full(const OwnerNote& note) {
  if (!note.time) return note.words;
  return note.words + std::string(note.joint) +
         api::format_timestamp(std::chrono::floor<std::chrono::seconds>(*note.time));
}

}  // namespace elbowroom::scheduler
