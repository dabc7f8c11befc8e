// Everything the rescheduler can do, as values. Each effect is performed once by the executor, not
// after `not_after`, and reported back as Done or Failed under its id; retries are decided in the
// reactor.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/codec/admission_review.h"
#include "cluster/debit_queue.h"
#include "control/effect.h"
#include "policy/model/budget.h"
#include "policy/model/time.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

using control::EmitEvent;
using control::GiveUpWrites;
using control::Victim;
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

// Writes an entry of ours into the Node's annotation preferAvoidPods: the pods of the pod's
// controller avoid the node for that long. Pod and annotation are read first. NotFound: the pod or
// the node is gone, or another pod has the name; Conflict: the annotation was written since;
// Invalid, Exhausted: it takes no entry.
struct AvoidNode {
  Victim pod{};
  std::string node{};
  policy::Time now{};  // the API server's
  std::chrono::seconds lasts{0};

  friend bool operator==(const AvoidNode&, const AvoidNode&) = default;
};

// Takes back what AvoidNode wrote for that pod. Where it is not there any more nothing is written.
struct AllowNode {
  std::string pod_uid{};
  std::string node{};
  policy::Time now{};

  friend bool operator==(const AllowNode&, const AllowNode&) = default;
};

// Evicts the pod with its own grace period and the uid as precondition, or asks whether that would
// be allowed. The pod is read just before, as the server charges its budget before it looks at the
// uid. Exhausted: a PodDisruptionBudget allows none now; NotFound, Conflict: the pod is gone, or
// another one has the name; Unavailable: it is not known whether the pod is evicted.
struct EvictPod {
  Victim pod{};
  bool dry_run = false;

  friend bool operator==(const EvictPod&, const EvictPod&) = default;
};

// Reads a DisruptionBudget, and writes its ledger under its uid and version. Answered by Done with
// the budget as it is then, or Failed.
using ReadLedger = cluster::DebitQueue::Read;
using WriteLedger = cluster::DebitQueue::Write;

// Writes the ConfigMap of the owners' rests at that resourceVersion; "": it does not exist, and is
// created. Answered by Done with its version. Conflict: it was written since.
struct WriteRests {
  std::string version{};
  std::string text{};

  friend bool operator==(const WriteRests&, const WriteRests&) = default;
};

// Answers a review, at once and without a fence; nothing is reported back. None: it is not known by
// which rules, and the server does what the webhook's failurePolicy says.
struct AnswerReview {
  std::uint64_t number = 0;
  std::string uid{};  // of the review
  std::optional<api::ReviewAnswer> answer{};

  friend bool operator==(const AnswerReview&, const AnswerReview&) = default;
};

struct Effect {
  EffectId id = 0;
  // On the reactor's clock: by then it is on the server or was given up. The Lease's fence.
  std::chrono::milliseconds not_after{0};
  std::variant<WriteLease, GiveUpWrites, WriteBudget, ReportOdd, DropAvoided, EmitEvent, AvoidNode,
               AllowNode, EvictPod, ReadLedger, WriteLedger, WriteRests, AnswerReview>
      what{};

  friend bool operator==(const Effect&, const Effect&) = default;
};

using Effects = std::vector<Effect>;

}  // namespace elbowroom::rescheduler
