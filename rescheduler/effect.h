// Everything the rescheduler can do, as values. Each effect is performed once by the executor, not
// after `not_after`, and reported back as Done or Failed under its id; retries are decided in the
// reactor.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "control/effect.h"
#include "policy/model/budget.h"
#include "policy/model/time.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

using control::GiveUpWrites;
using control::WriteLease;

// Writes the status of a DisruptionBudget at that resourceVersion. Conflict: it was written since.
struct WriteBudget {
  control::Victim budget{};  // its namespace, name and uid
  std::string version{};
  policy::BudgetStatus status{};
  policy::Ledger ledger{};

  friend bool operator==(const WriteBudget&, const WriteBudget&) = default;
};

// Says in the budget's status that it is not understood, and why. The budget is read first, and
// written at its version. Conflict: it was written since. Where it says so already, or is
// understood by now, nothing is written.
struct ReportOdd {
  std::string budget{};  // NAMESPACE/NAME
  std::string why{};     // as it was seen
  policy::Time now{};    // the API server's

  friend bool operator==(const ReportOdd&, const ReportOdd&) = default;
};

// Takes the entries of ours that have ended by then, the API server's time, out of the Node's
// annotation preferAvoidPods. The annotation is read first, and written under its own value.
// Conflict: it was written since. Where there is nothing to take away nothing is written.
struct DropAvoided {
  std::string node{};
  policy::Time now{};

  friend bool operator==(const DropAvoided&, const DropAvoided&) = default;
};

struct Effect {
  EffectId id = 0;
  // On the reactor's clock: by then it is on the server or was given up. The Lease's fence.
  std::chrono::milliseconds not_after{0};
  std::variant<WriteLease, GiveUpWrites, WriteBudget, ReportOdd, DropAvoided> what{};

  friend bool operator==(const Effect&, const Effect&) = default;
};

using Effects = std::vector<Effect>;

}  // namespace elbowroom::rescheduler
