// The reactor's state of one pod of its node. `seen` is the pod from the API and `view` is ours:
// the same pod with our durable allocation and the figures that the runtime reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/contention.h"
#include "agent/effect.h"
#include "agent/observation.h"
#include "agent/retry_backoff.h"
#include "policy/model/charge.h"
#include "policy/model/pod.h"
#include "policy/resize/resize.h"

namespace elbowroom::agent {

struct PodState {
  policy::Pod seen{};
  policy::Pod view{};
  std::uint64_t arrival = 0;  // of its pending resize, for the retry order

  // It has not begun and does not fit beside all that others have asked for: its pod runner waits,
  // and it is judged like a resize from nothing.
  bool asks_admission = false;

  // The last decision, and since when (our clock) the pod is Deferred at that generation.
  policy::ResizeDecision decision{};
  std::int64_t decided_generation = -1;  // of the pod at the decision; -1: not decided
  std::optional<std::chrono::milliseconds> deferred_since{};
  std::int64_t deferred_generation = 0;
  bool deferred_anew = false;  // no other program saw that Deferred before we set it
  // Its resize was newly Deferred by us since then, and is in another state for now.
  std::optional<std::chrono::milliseconds> deferred_before{};
  // For metrics: since when the resize of that generation is known, and the last one counted.
  std::chrono::milliseconds pending_since{0};
  std::int64_t counted_generation = -1;
  std::string announced{};  // reason and generation of the last event about a pending resize

  // Actuation.
  bool resizing = false;  // allocated by us, not yet seen as completed
  std::string act_error{};
  EffectId acting = 0;  // 0: nothing in flight
  Backoff act_backoff{};
  // The container that is restarted next, or is being stopped: the status shows the limits that it
  // starts with. "": none.
  std::string restarting{};

  // Status.
  EffectId writing = 0;
  Backoff write_backoff{};
  std::string write_error{};
  WriteStatus last_write{};               // the last successful write, and until when the watch
  std::chrono::milliseconds shown_by{0};  // may take to show it

  // Other writers: what we wrote and gave, and when undone fields are restored.
  OwnWrites own_writes{};
  OwnSizes own_sizes{};
  Backoff put_back{};

  // When the present allocation became durable; bounds the time of a shrink.
  std::optional<std::chrono::milliseconds> allocated_at{};

  // When the runtime performed its last step.
  std::optional<std::chrono::milliseconds> acted_at{};

  // Its delete succeeded, but the watch may not have shown it yet: it counts as terminating.
  std::optional<policy::Time> asked_to_go{};

  // Our own deadline of a terminating pod: first seen terminating plus its grace period, plus 30 s.
  std::optional<std::chrono::milliseconds> overdue_at{};

  friend bool operator==(const PodState&, const PodState&) = default;
};

}  // namespace elbowroom::agent
