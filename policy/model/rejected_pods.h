// Admission: which of the pods that are bound to a node, and of which no container has started, its
// node does not run. A kubelet rejects one that the node can never run, so it holds no room there
// for resizes. Otherwise any user who may set a pod's node could block all growth on that node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policy/model/node.h"
#include "policy/model/pod.h"

namespace elbowroom::policy {

// No container of the pod has a status, and nothing is allocated to it or actual.
[[nodiscard]] bool has_not_begun(const Pod& pod);

// The first resource in which a pod that has not begun requests more, on its own, than the node
// has: cpu, memory, and those of ephemeral-storage and hugepages-* that the node reports. None: the
// pod may start, or has started.
[[nodiscard]] std::optional<std::string> never_fits(const Node& node, const Pod& pod);

// A pod that has not begun, and that its node has not acknowledged by status.startTime yet. The pod
// of a static pod is only its mirror.
[[nodiscard]] bool awaits_admission(const Pod& pod);

// A strict order of pods that await admission: older first, then by uid.
[[nodiscard]] bool is_admitted_before(const Pod& a, const Pod& b);

// The reason and the message of a pod that its node rejects.
struct Rejection {
  std::string reason{};   // "OutOfcpu"
  std::string message{};  // "Node didn't have enough resource: cpu, requested: 2000, ..."

  friend bool operator==(const Rejection&, const Rejection&) = default;
};

// What others on the node take.
struct TakenRoom {
  Resources amounts{};
  std::int64_t pods = 0;
};

// Why the pod, at its request, does not fit beside that; none: it fits. The first that is lacking
// of pods, cpu, memory, and those of ephemeral-storage and hugepages-* that the node reports.
// Source: kubelet lifecycle/predicate.go, scheduler noderesources/fit.go.
[[nodiscard]] std::optional<Rejection> rejection_of(const Node& node, const Pod& pod,
                                                    const TakenRoom& taken);

}  // namespace elbowroom::policy
