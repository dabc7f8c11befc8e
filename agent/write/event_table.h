// The Kubernetes Events that elbowroomd writes, one row each. A reason that is not in the table
// cannot be said, and docs/events.md is printed from here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/effect.h"
#include "control/event_table.h"
#include "policy/model/pod.h"
#include "policy/model/pod_text.h"

namespace elbowroom::agent {

enum class EventReason {
  ResizeStarted,
  ResizeCompleted,
  ResizeDeferred,
  ResizeInfeasible,
  ResizeError,
  Preempting,
  EvictionBlocked,
  ResizeContended,
  ResizeResumed,
  SafeModeEntered,
  PodRejected,
};

using EventRow = control::EventRow<EventReason>;

// By EventReason, in its order.
[[nodiscard]] std::span<const EventRow> event_table();
[[nodiscard]] const EventRow& row_of(EventReason reason);
[[nodiscard]] bool tells_of_removal(std::string_view reason);

// The event of that row about the pod; without a namespace it is about the Node of that name.
[[nodiscard]] EmitEvent event_of(EventReason reason, const policy::Pod& about,
                                 const policy::PodText& note);

// The reference page, in Markdown.
[[nodiscard]] std::string events_page();

}  // namespace elbowroom::agent
