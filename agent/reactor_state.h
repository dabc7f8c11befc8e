// Everything the agent's reactor remembers from one observation to the next, as one value. Two
// reactors with equal options and equal states return the same effects from then on, so no input of
// a decision may be stored elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "agent/contention.h"
#include "agent/critical_removal.h"
#include "agent/effect.h"
#include "agent/observation.h"
#include "agent/pod_state.h"
#include "agent/retry_backoff.h"
#include "agent/seen_budgets.h"
#include "agent/status.h"
#include "base/result.h"
#include "policy/model/node.h"

namespace elbowroom::agent {

enum class Doing { Save, Act, Write, Remove, Unmark, Annotate, ReadBudgets, Debit };

// An effect that has not been answered yet.
struct InFlight {
  Doing doing = Doing::Save;
  std::string uid{};       // of the pod; ReadBudgets: the namespace
  bool removes = false;    // Remove: a delete that is not a dry run
  std::string acted_on{};  // Act: the container; "" for the pod's own cgroup

  friend bool operator==(const InFlight&, const InFlight&) = default;
};

struct ReactorState {
  Moment now{};
  Jitter jitter{};
  EffectId last_effect = 0;
  std::uint64_t last_arrival = 0;
  std::map<EffectId, InFlight> in_flight{};
  std::optional<std::chrono::milliseconds> next_wake{};
  Counts counts{};

  // The observed world.
  std::optional<policy::Node> node{};
  std::string node_trouble{};
  bool pods_listed = false;
  std::string api_trouble{};  // "": none
  std::string runtime_trouble{"the runtime has not answered yet"};
  std::map<std::string, std::string, std::less<>> unreadable{};  // NAMESPACE/NAME -> why
  std::map<std::string, PodState, std::less<>> pods{};           // by uid
  std::map<std::string, PodReport, std::less<>> reports{};       // by pod uid
  std::optional<cri::WeightMap> weight_map{};  // of the pods' cgroups; none: none showed it yet

  // The durable promises.
  Checkpoint durable{};
  std::set<std::string, std::less<>> unsure{};  // uids from an older copy, until the API is asked
  // Uids of the checkpoint's entries at start, until API and runtime were asked whether they show
  // something later: a restored disk holds an old checkpoint that is intact.
  std::set<std::string, std::less<>> unproven{};
  std::optional<Checkpoint> saving{};        // in flight
  std::chrono::milliseconds proposed_at{0};  // time of `saving`, for metrics
  std::set<std::string> allocating{};        // uids whose allocation is in `saving`
  Backoff save_backoff{};
  std::string disk_trouble{};

  std::optional<bool> critical_preemption{};  // nullopt: not known yet
  CriticalRemoval removal{};
  std::set<std::string, std::less<>> unmarking{};  // uids
  EffectId annotating = 0;
  Backoff annotate_backoff{};
  Backoff removal_backoff{};
  SeenBudgets budgets{};  // while a removal is planned
  // The budgets over each victim, by its uid, until its delete is answered.
  std::map<std::string, std::vector<BudgetRef>, std::less<>> to_debit{};
  Contention contention{};
  std::set<std::string, std::less<>>
      blocked_said{};  // "UID/GENERATION" already reported as blocked

  friend bool operator==(const ReactorState&, const ReactorState&) = default;
};

// The effects of that kind that are not answered yet.
[[nodiscard]] std::size_t flying(const ReactorState& state, Doing doing);

// Checks that a reactor can continue from the state. Invalid: parts of a state from outside
// contradict each other.
[[nodiscard]] Result<void> consistent(const ReactorState& state);

}  // namespace elbowroom::agent
