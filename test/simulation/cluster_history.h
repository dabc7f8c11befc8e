// A history of a small cluster with two schedulers on one Lease: the actions of users, nodes and
// other writers, and faults, as values in time. Any part of a history is a history too (a step
// whose pod does not exist does nothing), so a history that breaks something can be cut down.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"

namespace elbowroom::test {

struct ClusterStep {
  enum class Kind : std::uint8_t {
    Resize,       // a user wants `a` millicores and `b` MiB for the pod
    Arrive,       // a pod is bound behind our back: `a` millicores, `b` MiB, priority `c`
    ArriveOdd,    // one that cannot be understood, for `a` seconds
    Replace,      // the pod is removed at once, and another one of that name exists
    Delete,       // a user deletes the pod
    Exit,         // its containers finish by themselves
    Policy,       // a = 1: the node forbids resize preemption; 0: it allows it again
    Allocatable,  // the node has `a` millicores and `b` MiB
    Ready,        // a = 0: the node is not ready
    Budget,       // a budget covers pods by label and allows `a`; a = -1: it is gone
    Nominate,     // a pending pod of priority `c` and `a` millicores is nominated to the node
    Mark,         // another writer left the mark of a removal that does not exist any more
    Unmark,       // another writer removes the pod's mark
    PaperPod,     // on the node without an agent: the pod has `a` and wants `b` millicores
    PaperTwin,    // ... a pod that has another one's uid, for `a` seconds
    PaperGone,    // ... the pod is gone
    Api,          // a fault between `who` and the API server
    Partition,    // `who` and the API server do not reach each other for `a` seconds
    Crash,        // `who` is lost at an effect, and starts again
    End,          // `who` is asked to end, and starts again after `down`
    Jump,         // its time of day jumps by `a` seconds
    // Where pending pods are placed.
    Pend,      // a pod without a node: `a` millicores, `b` MiB, priority `c`
    Ungate,    // its scheduling gates are lifted
    Taint,     // of the node: `a` = 0 none, 1 NoSchedule, 2 PreferNoSchedule
    Cordon,    // a = 1: the node takes no new pods
    NodeGone,  // the Node object is gone for `a` seconds
    TurnOut,   // the paper node's kubelet does not keep a pod that was bound to it: a = 0 refuses
               // it, 1 evicts it; its owner creates another one like it
    Sweep,     // the paper node's kubelet ends the terminating pods
    // Objects and writers that are not ours; for `b` seconds, 0: for good.
    OddPod,           // on the node, with the oddity number `a`; c = 1: it has finished
    BigPod,           // on the node, of `a` tiny containers; c = 1: it has finished
    ForeignDisables,  // another writer says PodResizePreemptionDisabled of the pod, for its reason
    // Pod groups, and pods that name them.
    Group,         // begins: minCount `a`, 0: basic; mode `b`; priority `c`
    GroupGone,     // a user deletes it; as long as pods name it, it is being deleted
    GroupReplace,  // it is gone at once, and another one of that name exists
    GroupCount,    // its minCount is `a`
    Member,        // a pod of the group without a node: `a` millicores, `b` MiB, priority `c`
    MemberRuns,    // ... that is bound behind our back
    Serve,         // a = 0: the kind is not served any more; 1: it is again
    // DisruptionBudgets.
    OwnBudget,  // keeps `a` pods available, b > 0: loses at most `b` within `down`; c = 1: it is
                // hard; a = -1: it is gone
    Evict,      // another program debits the pod and, after `down`, deletes it; a = 1: it does not;
                // b = 1: as soon as a scheduler is about to write a ledger
    Contend,    // another program writes the budget `pod` before each of the next `a` writes of its
                // ledger
    Keep,       // the rescheduler does what is due by now; a = 1: after a restart; b = 1: as soon
                // as a scheduler is about to write a ledger
  };

  // Of a group.
  enum Mode : std::int64_t {
    Single,
    All,
    NeverPreempts,
    OfParent,       // refused: it has a CompositePodGroup
    NotUnderstood,  // refused
    WithClaims,     // refused
    kModes
  };

  Kind kind = Kind::Resize;
  std::chrono::milliseconds at{0};
  std::string pod{};
  std::string node{};
  std::string who{};    // a scheduler, or a node for its agent; of a member: who is to place it
  std::string group{};  // the pod's, or itself
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  lab::ApiFault api{};
  lab::CrashPoint crash{};
  lab::StopOptions how{};
  std::chrono::milliseconds down{0};

  friend bool operator==(const ClusterStep&, const ClusterStep&) = default;
};

struct ClusterHistory {
  std::uint64_t seed = 0;
  std::int64_t cpu = 4000;
  std::int64_t memory = 8192;
  bool critical_by_node = false;     // the agents make room for critical pods
  bool upstream = false;             // the rules
  bool full = false;                 // pending pods are placed
  bool groups = false;               // there are pod groups, and no agents
  bool budgets = false;              // there are DisruptionBudgets
  std::vector<ClusterStep> steps{};  // in time; the first are the pods at 0s

  friend bool operator==(const ClusterHistory&, const ClusterHistory&) = default;
};

inline constexpr const char* kFirstScheduler = "sched-a";
inline constexpr const char* kSecondScheduler = "sched-b";
// The scheduler whose pending pods are placed.
inline constexpr const char* kPlaced = "elbowroom";
// Its pods are as written: nothing runs, decides or ends them.
inline constexpr const char* kPaperNode = "paper";

// The history of that seed, the same on every machine.
[[nodiscard]] ClusterHistory cluster_history_of(std::uint64_t seed);
// The same without pending pods of ours: no seed is in mode full.
[[nodiscard]] ClusterHistory resize_history_of(std::uint64_t seed);
// Pod groups and their pods beside other pods, in mode full and without agents.
[[nodiscard]] ClusterHistory group_history_of(std::uint64_t seed);

// DisruptionBudgets over the pods of a cluster_history_of(), and another program that evicts.
[[nodiscard]] ClusterHistory budget_history_of(std::uint64_t seed);

// One line for each step.
[[nodiscard]] std::string to_text(const ClusterHistory& history);
[[nodiscard]] std::string to_text(const ClusterStep& step);

// The outcome of a history.
struct ClusterOutcome {
  std::vector<std::string> broken{};            // invariants that did not hold, with the time
  std::size_t observations = 0;                 // of schedulers
  std::map<std::string, std::size_t> faults{};  // that were met, by name
  std::map<std::string, std::size_t> did{};     // what schedulers decided, by name
  std::vector<std::string> log{};               // where it was asked for
  std::vector<std::string> recordings{};  // of each life of a scheduler, where it was asked for

  // It is long enough, and has enough faults.
  [[nodiscard]] bool counts() const;
};

// Plays it, with every invariant checked at every step; ends at the first that is broken.
[[nodiscard]] ClusterOutcome play(const ClusterHistory& history, bool with_log = false);
// The same with what each scheduler saw and did, as its --record writes it.
[[nodiscard]] ClusterOutcome play_recorded(const ClusterHistory& history);

}  // namespace elbowroom::test
