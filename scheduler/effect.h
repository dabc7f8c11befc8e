// Everything the scheduler can do, as values. Each effect is performed once by the executor, not
// after `not_after`, and reported back as Done or Failed under its id; retries are decided in the
// reactor.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/debit_queue.h"
#include "control/effect.h"
#include "policy/model/condition.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

using control::DeleteVictim;
using control::EmitEvent;
using control::GiveUpWrites;
using control::MarkVictim;
using control::Related;
using control::Subject;
using control::Victim;
using control::WriteLease;

// Places a pending pod on a node, under its uid.
struct BindPod {
  Victim pod{};
  std::string node{};

  friend bool operator==(const BindPod&, const BindPod&) = default;
};

// Reserves a volume for a claim, under its uid and version: the API server refuses it (Conflict) if
// another program has written the volume since.
struct BindVolume {
  std::string volume{};
  std::string uid{};
  std::string resource_version{};
  policy::ClaimRef claim{};
  bool was_reserved = false;  // for that claim, by a user: it stays so when the claim goes

  friend bool operator==(const BindVolume&, const BindVolume&) = default;
};

// Has the volume of a claim made for a node, under the claim's uid and version.
struct SelectNode {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string resource_version{};
  std::string node{};

  friend bool operator==(const SelectNode&, const SelectNode&) = default;
};

// Writes what there is to say of a pending pod in its status: why it is not placed, and the node it
// is nominated to ("": none any more).
struct WritePending {
  Victim pod{};
  std::optional<policy::Condition> scheduled{};
  std::optional<std::string> nominated{};

  friend bool operator==(const WritePending&, const WritePending&) = default;
};

// Reads the preemptor from the API server itself: a watch may lag. Answered by Done with the pod as
// it is, or Failed; NotFound: the pod does not exist.
struct ConfirmResize {
  Victim preemptor{};

  friend bool operator==(const ConfirmResize&, const ConfirmResize&) = default;
};

// Asks for what the circuit breaker counts. Answered by Done with it, or Failed; NotFound: it is
// not there.
struct ReadBreaker {
  friend bool operator==(const ReadBreaker&, const ReadBreaker&) = default;
};

// Creates it (no resourceVersion), or updates it under its resourceVersion.
struct WriteBreaker {
  StoredBreaker stored{};

  friend bool operator==(const WriteBreaker&, const WriteBreaker&) = default;
};

// Reads a pod group from the API server itself. Answered by Done with the group as it is, or
// Failed; NotFound: the group does not exist, or the kind is not served.
struct ConfirmGroup {
  Victim group{};

  friend bool operator==(const ConfirmGroup&, const ConfirmGroup&) = default;
};

// Sets conditions of a pod group, merged by their types, under its uid. Each has a reason and a
// lastTransitionTime, which the API requires.
struct WriteGroupStatus {
  Victim group{};
  policy::Conditions set{};

  friend bool operator==(const WriteGroupStatus&, const WriteGroupStatus&) = default;
};

// Reads a DisruptionBudget from the API server itself. Answered by Done with it, or Failed;
// NotFound: it does not exist.
using ReadLedger = cluster::DebitQueue::Read;
// Writes the ledger of a DisruptionBudget under its uid and version. Answered by Done with the
// budget as it is then, or Failed; Conflict: another program has written it since.
using WriteLedger = cluster::DebitQueue::Write;

struct Effect {
  EffectId id = 0;
  // On the reactor's clock: by then it is on the server or was given up. The lease's fence.
  std::chrono::milliseconds not_after{0};
  std::variant<MarkVictim, DeleteVictim, ConfirmResize, EmitEvent, WriteLease, GiveUpWrites,
               BindPod, WritePending, ReadBreaker, WriteBreaker, ConfirmGroup, WriteGroupStatus,
               ReadLedger, WriteLedger, BindVolume, SelectNode>
      what{};

  friend bool operator==(const Effect&, const Effect&) = default;
};

using Effects = std::vector<Effect>;

}  // namespace elbowroom::scheduler
