// What the owner of a Deferred resize is told of a turn. The times are not part of the words, so
// the same news is told again only where its time has moved by more than clocks and rounding do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/model/pod_text.h"
#include "policy/model/time.h"
#include "scheduler/event_table.h"
#include "scheduler/requeue_hints.h"
#include "scheduler/waiting_pod.h"

namespace elbowroom::scheduler {

struct OwnerEvent {
  policy::PodText words{};  // "": nothing is told
  EventReason reason = EventReason::FailedScheduling;
  std::string_view joint = ", until ";
  std::optional<policy::Time> time{};
  bool time_matters = false;  // so that another one is news
  bool is_promise = false;    // of room, by that time

  friend bool operator==(const OwnerEvent&, const OwnerEvent&) = default;
};

// Of a turn that came out so, for that reason; `victims` in words where pods go.
[[nodiscard]] OwnerEvent note_of(TurnResult result, const policy::PodText& why,
                                 const policy::PodText& victims);

// Whether the owner, who was told `said`, is to be told `now` too: other words, unless they only
// say in what way room comes that was promised; or another time.
[[nodiscard]] bool is_news(const Said& said, const Said& now);

// "Removing default/a makes room for the resize, expected by 2026-05-28T20:27:10Z".
[[nodiscard]] policy::PodText in_full(const OwnerEvent& note);

}  // namespace elbowroom::scheduler
