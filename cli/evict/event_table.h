// The Kubernetes Events that `elbowroom evict` writes, one row each; docs/events.md is printed from
// here.
#pragma once

#include <span>
#include <string>

#include "control/event_table.h"

namespace elbowroom::cli {

enum class EventReason { EvictionBlocked };

using EventRow = control::EventRow<EventReason>;

// By EventReason, in its order.
[[nodiscard]] std::span<const EventRow> event_table();
[[nodiscard]] const EventRow& row_of(EventReason reason);

// The reference page, in Markdown.
[[nodiscard]] std::string events_page();

}  // namespace elbowroom::cli
