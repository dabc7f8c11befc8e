#include "scheduler/waiting/owner_event.h"

#include <chrono>

#include "api/codec/timestamp.h"

namespace elbowroom::scheduler {

namespace {

// A change of the time by at least this much is reported.
constexpr std::chrono::milliseconds kMoved{15'000};

}  // namespace

OwnerEvent note_of(TurnResult result, const policy::PodText& why, const policy::PodText& victims) {
  using policy::PodText;
  switch (result) {
    case TurnResult::Preempts:
      return {.words = PodText("Removing ") + victims + " makes room for the resize",
              .reason = EventReason::Preempting,
              .joint = ", expected by ",
              .time_matters = true,
              .expects_room = true};
    case TurnResult::Awaits:
      return {.words = PodText("The resize waits: ") + why,
              .reason = EventReason::Preempting,
              .joint = ", expected by ",
              .time_matters = true,
              .expects_room = true};
    case TurnResult::Yields:
    case TurnResult::NodesTurn:
      return {.words = PodText("The resize waits: ") + why, .reason = EventReason::Preempting};
    case TurnResult::Fits:
      return {
          .words = "Nobody is removed for the resize: it fits by now, and its node is to admit it",
          .reason = EventReason::ResizeFits};
    // Retried at once.
    case TurnResult::Busy:
    case TurnResult::Overtaken:
    case TurnResult::Outdated:
    case TurnResult::Failed:
      return {};
    case TurnResult::Broken:
      return {.words = PodText("No room is made for the resize: ") + why, .time_matters = true};
    case TurnResult::Disabled:
    case TurnResult::PolicyNever:
    case TurnResult::NoVictims:
    case TurnResult::TooMany:
    case TurnResult::Refused:
    case TurnResult::Unknown:
    case TurnResult::Unclear:
    // Pending pods have other events.
    case TurnResult::Binds:
    case TurnResult::Unschedulable:
    case TurnResult::Gated:
      return {.words = PodText("No room is made for the resize: ") + why};
  }
  return {};
}

bool is_news(const Said& said, const Said& now) {
  if (said.words != now.words && !(said.expects_room && now.expects_room)) return true;
  if (!now.time || !now.time_matters) return false;
  return !said.time || std::chrono::abs(*now.time - *said.time) >= kMoved;
}

policy::PodText in_full(const OwnerEvent& note) {
  if (!note.time) return note.words + note.more;
  return note.words + note.joint +
         api::format_timestamp(std::chrono::floor<std::chrono::seconds>(*note.time)) + note.more;
}

}  // namespace elbowroom::scheduler
