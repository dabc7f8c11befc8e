// The Kubernetes Events that elbowroom-rescheduler writes, one row each; docs/events.md is printed
// from here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "control/event_table.h"

namespace elbowroom::rescheduler {

enum class EventReason { Rescheduled, EvictionBlocked, ConfigurationRefused };

using EventRow = control::EventRow<EventReason>;

// By EventReason, in its order.
[[nodiscard]] std::span<const EventRow> event_table();
[[nodiscard]] const EventRow& row_of(EventReason reason);
// The row of a reason as the API has it; nullptr: there is none.
[[nodiscard]] const EventRow* find_row(std::string_view reason);

// The reference page, in Markdown.
[[nodiscard]] std::string events_page();

}  // namespace elbowroom::rescheduler
