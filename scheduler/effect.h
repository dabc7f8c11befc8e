// Everything the scheduler can do, as values. Each effect is performed once by the executor, not
// after `not_after`, and reported back as Done or Failed under its id; retries are decided in the
// reactor.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/write/lease.h"
#include "policy/model/condition.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

// A pod by name and uid.
struct Victim {
  std::string ns{};
  std::string name{};
  std::string uid{};

  friend auto operator<=>(const Victim&, const Victim&) = default;
};

// Sets the victim's DisruptionTarget condition, or takes it away again.
struct MarkVictim {
  Victim victim{};
  policy::Condition condition{};
  bool clear = false;

  friend bool operator==(const MarkVictim&, const MarkVictim&) = default;
};

// Deletes with the pod's own grace period and the uid as precondition.
struct DeleteVictim {
  Victim victim{};
  bool dry_run = false;

  friend bool operator==(const DeleteVictim&, const DeleteVictim&) = default;
};

// Places a pending pod on a node, under its uid.
struct BindPod {
  Victim pod{};
  std::string node{};

  friend bool operator==(const BindPod&, const BindPod&) = default;
};

// Writes what there is to say of a pending pod in its status: why it is not placed, and the node it
// is nominated to ("": none any more).
struct WritePending {
  Victim pod{};
  std::optional<policy::Condition> scheduled{};
  std::optional<std::string> nominated{};

  friend bool operator==(const WritePending&, const WritePending&) = default;
};

// Asks the API server itself for the pod that others are to go for: a watch may lag. Answered by
// Done with the pod as it is, or Failed; NotFound: it is gone.
struct ConfirmResize {
  Victim preemptor{};

  friend bool operator==(const ConfirmResize&, const ConfirmResize&) = default;
};

struct EmitEvent {
  Victim regarding{};
  bool warning = false;
  std::string reason{};
  std::string action{};
  std::string note{};     // its owner reads it, so it names pods of other namespaces by uid
  std::string in_log{};   // the same with every name; "": the note
  bool log_only = false;  // of a dry run: an event would be a write

  friend bool operator==(const EmitEvent&, const EmitEvent&) = default;
};

// Creates the Lease (no resourceVersion), or updates it under its resourceVersion.
struct WriteLease {
  api::Lease lease{};

  friend bool operator==(const WriteLease&, const WriteLease&) = default;
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

// Ends every write that was sent and not answered; each is reported Failed, its fate unknown.
// Before the Lease is given back: nothing of ours is to be on its way then.
struct GiveUpWrites {
  friend bool operator==(const GiveUpWrites&, const GiveUpWrites&) = default;
};

struct Effect {
  EffectId id = 0;
  // On the reactor's clock: by then it is on the server or was given up. The lease's fence.
  std::chrono::milliseconds not_after{0};
  std::variant<MarkVictim, DeleteVictim, ConfirmResize, EmitEvent, WriteLease, GiveUpWrites,
               BindPod, WritePending, ReadBreaker, WriteBreaker>
      what{};

  friend bool operator==(const Effect&, const Effect&) = default;
};

using Effects = std::vector<Effect>;

}  // namespace elbowroom::scheduler
