// What the reactor keeps about one pod of its node. `seen` is the API's word and `view` is ours:
// the same pod with the allocation we made durable and the figures the runtime reports.
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

  // The last judgement, and since when (our clock) the pod is Deferred at that generation.
  policy::ResizeDecision decision{};
  std::int64_t decided_generation = -1;  // of the pod when that was decided; -1: not decided
  std::optional<std::chrono::milliseconds> deferred_since{};
  std::int64_t deferred_generation = 0;
  bool deferred_anew = false;  // nobody was shown that Deferred before us
  // Its resize was Deferred by us from then on, anew, and is called something else for now.
  std::optional<std::chrono::milliseconds> deferred_before{};
  // For metrics: since when the resize of that generation is known, and the last one counted.
  std::chrono::milliseconds pending_since{0};
  std::int64_t counted_generation = -1;
  std::string announced{};  // reason and generation of the last event about a pending resize

  // Actuation.
  bool resizing = false;  // allocated by us, not seen completed yet
  std::string act_error{};
  EffectId acting = 0;  // 0: nothing in flight
  Backoff act_backoff{};

  // Status.
  EffectId writing = 0;
  Backoff write_backoff{};
  std::string write_error{};
  WriteStatus last_write{};               // that succeeded, and until when the watch
  std::chrono::milliseconds shown_by{0};  // may take to show it

  // Who else writes here: what we wrote and gave, and when what was undone is put back.
  OwnWrites own_writes{};
  OwnSizes own_sizes{};
  Backoff put_back{};

  // When the present allocation became durable; for how long a shrink may take.
  std::optional<std::chrono::milliseconds> allocated_at{};

  // When the runtime took the last step of it.
  std::optional<std::chrono::milliseconds> acted_at{};

  // Its delete was answered, and the watch may not have shown it yet: it is on its way out.
  std::optional<policy::Time> asked_to_go{};

  // Our own deadline of a pod on its way out: first sight plus its grace, plus 30 s.
  std::optional<std::chrono::milliseconds> overdue_at{};

  friend bool operator==(const PodState&, const PodState&) = default;
};

}  // namespace elbowroom::agent
