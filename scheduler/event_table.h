// The Kubernetes Events that elbowroom-scheduler writes, one row each. A reason that is not in the
// table cannot be said, and docs/events.md is printed from here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "control/event_table.h"

namespace elbowroom::scheduler {

enum class EventReason {
  Preempting,
  FailedScheduling,
  Preempted,
  Scheduled,
  ResizeFits,
  PriorityDiffers,
  RemovedAsOne
};

using EventRow = control::EventRow<EventReason>;

// By EventReason, in its order.
[[nodiscard]] std::span<const EventRow> event_table();
[[nodiscard]] const EventRow& row_of(EventReason reason);
// The row of a reason as the API has it; nullptr: there is none.
[[nodiscard]] const EventRow* find_row(std::string_view reason);

// The reference page, in Markdown.
[[nodiscard]] std::string events_page();

}  // namespace elbowroom::scheduler
