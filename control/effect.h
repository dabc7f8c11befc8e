// What every leader-elected daemon can do, as values. Each effect is performed once, and reported
// back as done or Failed under its id; retries are decided in the reactor.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/codec/object_ref.h"
#include "api/write/lease.h"
#include "control/observation.h"
#include "policy/model/condition.h"

namespace elbowroom::control {

// A pod, or another object, by name and uid.
struct Victim {
  std::string ns{};
  std::string name{};
  std::string uid{};

  friend auto operator<=>(const Victim&, const Victim&) = default;
};
[[nodiscard]] inline api::ObjectRef ref_of(const Victim& pod) {
  return {pod.ns, pod.name, pod.uid};
}
// NAMESPACE/NAME.
[[nodiscard]] inline std::string name_of(const Victim& pod) { return pod.ns + "/" + pod.name; }

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

// What an event tells of.
enum class Subject { Pod, PodGroup, Deployment, ReplicaSet, StatefulSet, ConfigMap };

// The kind of the API: "PodGroup".
[[nodiscard]] constexpr std::string_view to_string(Subject kind) {
  switch (kind) {
    case Subject::Pod:
      return "Pod";
    case Subject::PodGroup:
      return "PodGroup";
    case Subject::Deployment:
      return "Deployment";
    case Subject::ReplicaSet:
      return "ReplicaSet";
    case Subject::StatefulSet:
      return "StatefulSet";
    case Subject::ConfigMap:
      return "ConfigMap";
  }
  return "Pod";
}

// An object that an event names beside the one that it is about.
struct Related {
  Subject kind = Subject::Pod;
  Victim object{};

  friend bool operator==(const Related&, const Related&) = default;
};

struct EmitEvent {
  Victim regarding{};
  bool warning = false;
  std::string reason{};
  std::string action{};
  std::string note{};           // its owner reads it, so it names pods of other namespaces by uid
  std::string in_log{};         // the same with every name; "": the note
  bool log_only = false;        // of a dry run: an event would be a write
  Subject kind = Subject::Pod;  // of `regarding`
  std::optional<Related> related{};  // the preemptor of a victim

  friend bool operator==(const EmitEvent&, const EmitEvent&) = default;
};

// Creates the Lease (no resourceVersion), or updates it under its resourceVersion.
struct WriteLease {
  api::Lease lease{};

  friend bool operator==(const WriteLease&, const WriteLease&) = default;
};

// Ends every write that was sent and not answered; each is reported Failed with an unknown outcome.
// Sent before the Lease is given back: no write of ours may be in flight then.
struct GiveUpWrites {
  friend bool operator==(const GiveUpWrites&, const GiveUpWrites&) = default;
};

// What a daemon does that has no effects of its own.
struct DaemonEffect {
  EffectId id = 0;
  // On the reactor's clock: by then it is on the server or was given up. The Lease's fence.
  std::chrono::milliseconds not_after{0};
  std::variant<MarkVictim, DeleteVictim, EmitEvent, WriteLease, GiveUpWrites> what{};

  friend bool operator==(const DaemonEffect&, const DaemonEffect&) = default;
};

}  // namespace elbowroom::control
