// What an effect that is not answered yet was for, so that its answer finds the pod, the removal or
// the record it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "scheduler/effect.h"
#include "scheduler/removal/set_removal.h"
#include "scheduler/removal/victim_events.h"

namespace elbowroom::scheduler {

struct LeaseWrite {};

// A mark is removed that no removal needs any more.
struct StaleMark {
  std::string key{};  // of the marked pod
};

struct RemovalStep {
  // Its number (scheduler/removal/removals.h); 0: of none (scheduler/removal/group_rest.h).
  std::uint64_t removal = 0;
  PreemptedFor preemptor{};
  SetRemoval::Step step{};
};

// The record of the circuit breaker is read or written.
struct Keeping {
  std::uint64_t leadership = 0;
  bool reads = false;
};

struct PodBinding {
  std::string key{};
  std::string uid{};
  std::string node{};
};

// A volume or a claim is written, for a pod that waits for its volumes.
struct VolumeWrite {
  std::string key{};         // of the pod
  std::uint64_t number = 0;  // of the try: VolumeBindings::begin()
};

// The status of a pending pod is written.
struct PendingWrite {
  Victim pod{};
  std::optional<std::string> nominated{};
  [[nodiscard]] std::string key() const { return control::name_of(pod); }
};

// A condition of a pod group is written.
struct GroupWrite {
  Victim group{};
  std::string type{};
};

// The ledger of a DisruptionBudget is read or written.
struct LedgerTask {
  cluster::BudgetName budget{};
  bool reads = false;
};

using InFlightEffect = std::variant<LeaseWrite, StaleMark, RemovalStep, PodBinding, PendingWrite,
                                    Keeping, GroupWrite, LedgerTask, VolumeWrite>;

}  // namespace elbowroom::scheduler
