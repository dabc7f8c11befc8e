// A history: a small cluster, and the actions of users and nodes, and faults, as values in time.
// Any part of a history is a history too (a step whose pod does not exist does nothing), so a
// history that breaks something can be cut down to the few steps that do.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"

namespace elbowroom::test {

struct Step {
  enum class Kind : std::uint8_t {
    Resize,          // a user wants `a` millicores and `b` MiB for the pod
    Policy,          // a = 1: the node forbids resize preemption; 0: it allows it again
    Arrive,          // a pod is bound behind our back: `a` millicores, `b` MiB, priority `c`
    ArriveOdd,       // one that cannot be understood, for `a` seconds
    Delete,          // a user deletes the pod
    Exit,            // its containers finish by themselves
    Allocatable,     // the node has `a` millicores and `b` MiB
    Ready,           // a = 0: the node is not ready
    TakeAnnotation,  // another writer removes the annotation of critical preemption
    TakeCondition,   // another writer removes the pod's PodResizePending
    KubeletDefers,   // beside a companion: the kubelet's own condition comes; a = 1: it names the
                     // pod's generation
    KubeletAdmits,   // ... and goes
    UseMemory,       // the pod's container uses `b` MiB
    Api,             // a fault between agent and API server
    Runtime,
    Disk,
    Crash,  // the agent is lost at an effect, and starts again
    Torn,   // it is lost, and `a` percent of its checkpoint are left
    Older,  // it is lost, and an older checkpoint is put back, `a` versions
    Jump,   // the node's time of day jumps by `a` seconds
    // Objects and writers that are not ours.
    OddPod,           // a pod with the oddity number `a`; c = 1: it has finished
    BigPod,           // one of `a` tiny containers; c = 1: it has finished
    ForeignDisables,  // another writer says PodResizePreemptionDisabled of the pod, for its reason
    AnnotatesPolicy,  // a = 1: the node's annotation forbids resize preemption; 0: it is gone
    TakeDisabled,     // beside a companion: another writer removes its condition from the pod
    TakeSeveral,      // a user takes PodResizePending from all pods, `a` times, every `c` seconds
  };

  Kind kind = Kind::Resize;
  std::chrono::milliseconds at{0};
  std::string pod{};
  std::size_t node = 0;  // of a step without a pod: 1 is the second one
  std::int64_t a = 0;
  std::int64_t b = 0;  // of what is not ours: for so many seconds; 0: for good
  std::int64_t c = 0;
  lab::ApiFault api{};
  lab::RuntimeFault runtime{};
  lab::DiskFault disk{};
  lab::CrashPoint crash{};
  lab::StopOptions how{};
  std::chrono::milliseconds down{0};

  friend bool operator==(const Step&, const Step&) = default;
};

// The node of a pod of a history, from its name: 0 or 1.
[[nodiscard]] std::size_t node_of(const std::string& pod, std::size_t nodes);

struct History {
  std::uint64_t seed = 0;
  std::size_t nodes = 1;
  bool authority = true;
  bool preempts = true;     // for critical pods
  std::int64_t cpu = 4000;  // of each node
  std::int64_t memory = 8192;
  bool cgroups_v2 = false;    // of the node's kernel; otherwise version 1
  bool frees_memory = false;  // before it settles; otherwise resizes may wait for that
  std::vector<Step> steps{};  // in time; the first are the pods at 0s

  friend bool operator==(const History&, const History&) = default;
};

// The history of that seed, the same on every machine.
[[nodiscard]] History history_of(std::uint64_t seed);

// True where the step is a fault of a machine, a process or a connection.
[[nodiscard]] bool is_fault(const Step& step);

// One line for each step.
[[nodiscard]] std::string to_text(const History& history);
[[nodiscard]] std::string to_text(const Step& step);

// What a history must have to count.
inline constexpr std::size_t kLeastObservations = 200;
inline constexpr std::size_t kLeastFaults = 3;

// The outcome of a history.
struct Outcome {
  std::vector<std::string> broken{};  // invariants that did not hold, with the time
  std::size_t observations = 0;
  std::size_t met = 0;   // faults
  bool yielded = false;  // the agent took its faults for another writer
  // Further sets of victims for one resize, by cause.
  std::map<std::string, std::size_t, std::less<>> further_sets{};
  std::map<std::string, std::size_t> faults{};  // that were met, by name
  std::vector<std::string> log{};               // where it was asked for
  std::vector<std::string> recordings{};        // likewise, one for each life of the agent

  [[nodiscard]] bool counts() const {
    return observations >= kLeastObservations && met >= kLeastFaults;
  }
};

// Plays it, with every invariant checked at every step. When it is long enough to count, its faults
// end: users go on for a while without any, and then it settles. Ends at once at the first
// invariant that is broken.
[[nodiscard]] Outcome play(const History& history, bool with_log = false);

// The same, with each life of the agent recorded as by --record.
[[nodiscard]] Outcome play_recorded(const History& history);

}  // namespace elbowroom::test
