// Everything the agent can do, as values. Each effect is performed once by the executor and
// reported back as Done or Failed under its id; retries are decided in the reactor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "agent/observation.h"
#include "agent/seen_budgets.h"
#include "policy/model/condition.h"
#include "policy/model/pod.h"
#include "policy/model/rejected_pods.h"
#include "policy/resize/actuate.h"

namespace elbowroom::agent {

// Makes the checkpoint durable. Nothing that depends on it is in flight before its Done.
struct SaveCheckpoint {
  Checkpoint checkpoint{};

  friend bool operator==(const SaveCheckpoint&, const SaveCheckpoint&) = default;
};

// One step of carrying out an allocation, by the runtime or in the pod's own cgroup. All of
// `checks` come first: where one of them finds the usage not below the limit, nothing is done
// (Conflict).
struct Actuate {
  std::string pod_uid{};
  std::string pod{};  // NAMESPACE/NAME, for messages
  policy::Qos qos = policy::Qos::BestEffort;
  std::map<std::string, std::string, std::less<>>
      container_ids{};              // by name, of running containers
  std::int64_t grace_seconds = 30;  // for a restart
  std::vector<policy::CheckMemory> checks{};
  std::variant<policy::SetPod, policy::UpdateContainer, policy::RestartContainer> step{};
  cri::WeightMap weights = cri::WeightMap::Linear;  // for SetPod, by the node's groups

  friend bool operator==(const Actuate&, const Actuate&) = default;
};

// What the status of one container is to say.
struct ContainerFigures {
  policy::Resources allocated{};
  policy::Requirements actual{};

  friend bool operator==(const ContainerFigures&, const ContainerFigures&) = default;
};

// Writes conditions by type, and the figures by read-modify-write under the resourceVersion.
struct WriteStatus {
  std::string pod_uid{};
  std::string ns{};
  std::string name{};
  policy::Conditions set{};
  std::vector<std::string> remove{};                                  // condition types
  std::map<std::string, ContainerFigures, std::less<>> containers{};  // empty: not touched
  std::optional<ContainerFigures> pod_level{};
  // Its admission: acknowledged at that time, or rejected.
  std::optional<policy::Time> started{};
  std::optional<policy::Rejection> rejected{};
  // The pod's version by which it was decided: of any other nothing is written (Conflict). "": any.
  std::string read_at{};

  friend bool operator==(const WriteStatus&, const WriteStatus&) = default;
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

// Reads the DisruptionBudgets of the namespace. Answered by BudgetsRead.
struct ReadBudgets {
  std::string ns{};

  friend bool operator==(const ReadBudgets&, const ReadBudgets&) = default;
};

// Enters a pod that is being removed in the ledger of a DisruptionBudget, whatever that allows.
struct EnterVictim {
  BudgetRef budget{};
  Victim victim{};

  friend bool operator==(const EnterVictim&, const EnterVictim&) = default;
};

struct EmitEvent {
  std::string ns{};   // "": about the Node
  std::string pod{};  // or the Node's name
  std::string uid{};
  bool warning = false;
  std::string reason{};
  std::string action{};
  std::string note{};    // its owner reads it, so it names pods of other namespaces by uid
  std::string in_log{};  // the same with every name; "": the note

  friend bool operator==(const EmitEvent&, const EmitEvent&) = default;
};

// Sets (or removes) the Node annotation elbowroom.dev/critical-preemption: node.
struct AnnotateNode {
  std::string node{};
  bool critical_preemption = false;

  friend bool operator==(const AnnotateNode&, const AnnotateNode&) = default;
};

struct Effect {
  EffectId id = 0;
  std::variant<SaveCheckpoint, Actuate, WriteStatus, MarkVictim, DeleteVictim, EmitEvent,
               AnnotateNode, ReadBudgets, EnterVictim>
      what{};

  friend bool operator==(const Effect&, const Effect&) = default;
};

using Effects = std::vector<Effect>;

}  // namespace elbowroom::agent
