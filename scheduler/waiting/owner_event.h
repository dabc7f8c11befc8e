// The event about a turn, for the owner of a Deferred resize. The time is not part of the text, so
// the same event is repeated only if its time has moved by more than clock differences and
// rounding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/model/pod_text.h"
#include "policy/model/time.h"
#include "scheduler/event_table.h"
#include "scheduler/waiting/requeue_hints.h"
#include "scheduler/waiting/waiting_pod.h"

namespace elbowroom::scheduler {

struct OwnerEvent {
  policy::PodText words{};  // "": no event
  EventReason reason = EventReason::FailedScheduling;
  std::string_view joint = ", until ";
  std::optional<policy::Time> time{};
  bool time_matters = false;  // a changed time is reported
  bool expects_room = false;  // of room by that time
  policy::PodText more{};     // after the time

  friend bool operator==(const OwnerEvent&, const OwnerEvent&) = default;
};

// Returns the event for a turn with that result and reason; `victims` names the removed pods, if
// any.
[[nodiscard]] OwnerEvent note_of(TurnResult result, const policy::PodText& why,
                                 const policy::PodText& victims);

// True if the owner, whose last event was `said`, needs the event `now` too: its text differs,
// unless both only announce room in different ways; or its time differs.
[[nodiscard]] bool is_news(const Said& said, const Said& now);

// Returns "Removing default/a makes room for the resize, expected by 2026-05-28T20:27:10Z".
[[nodiscard]] policy::PodText in_full(const OwnerEvent& note);

}  // namespace elbowroom::scheduler
