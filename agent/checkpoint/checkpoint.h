// The agent's state on disk: what it allocated to each pod, and which pods it decided to remove. An
// entry is durable before the agent acts on it, so after any crash the action can be repeated. The
// agent never guesses at a checkpoint that it cannot read.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::agent {

struct PodAllocation {
  std::string ns{};
  std::string name{};
  // Of the pod when this was allocated; shown in conditions and events. 0: not known.
  std::int64_t generation = 0;
  std::map<std::string, policy::Requirements, std::less<>> containers{};  // regular and sidecar
  policy::Requirements pod_level{};                                       // zero: the pod has none

  friend bool operator==(const PodAllocation&, const PodAllocation&) = default;
};

struct Victim {
  std::string uid{};
  std::string ns{};
  std::string name{};

  friend auto operator<=>(const Victim&, const Victim&) = default;
};

// A set of victims that the node decided to remove for one Deferred resize of a critical pod.
struct RemovalIntent {
  std::string preemptor_uid{};
  std::int64_t generation = 0;  // of the preemptor, when it was deferred
  std::vector<Victim> victims{};
  // When the resize was first deferred, on the clock of the machine's boot `boot` ("": not known).
  std::string boot{};
  std::chrono::milliseconds deferred_at{0};

  friend bool operator==(const RemovalIntent&, const RemovalIntent&) = default;
};

// A set of pods that was removed for one resize, or was about to be; the circuit breaker counts it.
struct CountedSet {
  std::string preemptor_uid{};
  std::size_t victims = 0;
  std::string boot{};  // as in a RemovalIntent
  std::chrono::milliseconds at{0};
  std::string victim{};  // uid of the first victim; "": not known

  friend bool operator==(const CountedSet&, const CountedSet&) = default;
};

struct Checkpoint {
  std::map<std::string, PodAllocation, std::less<>> pods{};  // by uid
  std::vector<RemovalIntent> removals{};
  std::vector<CountedSet> counted{};  // of the last ten minutes, oldest first

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// One line `elbowroom-allocations v1 crc32c=XXXXXXXX bytes=N`, then N bytes of JSON. Equal values
// give equal bytes.
[[nodiscard]] std::string encode(const Checkpoint& checkpoint);

// Invalid: version, length, checksum or a figure is wrong; the error says which.
[[nodiscard]] Result<Checkpoint> decode_checkpoint(std::string_view text);

}  // namespace elbowroom::agent
