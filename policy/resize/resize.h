// The node's verdict on a pending resize: Unchanged, Allocated, Deferred or Infeasible, for the
// whole pod at once. Only the resources that the resize raises are checked, so a shrink is never
// Deferred. Other pods count at what they hold, not at their desired size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::policy {

enum class Verdict { Unchanged, Allocated, Deferred, Infeasible };

// Which resource managers of the node pin the resources of Guaranteed pods.
struct ManagerPolicies {
  bool static_cpu = false;     // CPU manager policy "static"
  bool static_memory = false;  // Memory manager policy "Static"

  friend bool operator==(const ManagerPolicies&, const ManagerPolicies&) = default;
};

// A resource that lacks room: `lacking` = requested - (capacity - used), above zero.
struct Shortage {
  std::string resource{};
  std::int64_t requested = 0;  // the pod's resizing charge
  std::int64_t used = 0;       // held by others
  std::int64_t capacity = 0;   // allocatable
  std::int64_t lacking = 0;

  friend bool operator==(const Shortage&, const Shortage&) = default;
};

struct ResizeDecision {
  Verdict verdict = Verdict::Unchanged;
  std::string reason{};   // "OutOfcpu", ... for Deferred; "Infeasible"; else ""
  std::string detail{};   // why Infeasible, as a metric label: "static_pod", ...; else ""
  std::string message{};  // upstream's text; "" for Unchanged and Allocated
  std::vector<Shortage>
      shortages{};  // Deferred: every resource that lacks room, in the usual order

  friend bool operator==(const ResizeDecision&, const ResizeDecision&) = default;
};

// True when the pod's desired resources differ from its allocated ones. Compares the requests of
// regular containers and sidecars with the allocated requests, and the limits with the allocated
// limits if the checkpoint has them, otherwise with the actual ones. Pod-level requests and limits
// likewise.
[[nodiscard]] bool resize_is_pending(const Pod& pod);

// The verdict. `others_held` is the sum of the held charges of all other pods that hold room on the
// node. Order of checks: static pod, swap, CPU manager, memory manager, allocatable (memory before
// cpu), room (cpu, memory, ephemeral-storage, others by name).
// Source: kubelet allocation handlers.go, predicate.go (1.35: allocatable); KEP-1287; KEP-5836.
[[nodiscard]] ResizeDecision decide_resize(const Node& node, const Pod& pod,
                                           const Resources& others_held,
                                           const ManagerPolicies& managers);

// The resources that the resize raises and the node knows, in the usual order; only these are
// checked. An extended resource that the node does not list is ignored. The names are valid as long
// as `totals`. Source: kubelet predicate.go, removeMissingExtendedResources.
[[nodiscard]] std::vector<std::string_view> raised_resources(const Node& node,
                                                             const Totals& totals);

// The sum of the held charges of all `pods` that hold room, except the pod of that uid.
[[nodiscard]] Resources held_by_others(const std::vector<Pod>& pods, std::string_view uid);

[[nodiscard]] std::string_view to_string(Verdict verdict);

}  // namespace elbowroom::policy
