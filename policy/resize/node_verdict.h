// What the node says about a pod's resize in the pod's conditions, compared with our own decision.
// Where both refer to the same generation and differ, the sums differ, and both are worth showing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/model/time.h"
#include "policy/resize/resize.h"

namespace elbowroom::policy {

enum class Agreement {
  Silent,   // the node says nothing, and no resize is pending
  Unsaid,   // a resize is pending, and the node has not reported on it
  Earlier,  // it refers to another generation of the pod
  Agrees,
  Differs,
};
[[nodiscard]] std::string_view to_string(Agreement agreement);

// One resource as a node sums it.
struct NodeSum {
  std::string resource{};
  std::int64_t requested = 0;
  std::int64_t used = 0;  // by other pods; 0 where the request is above allocatable
  std::int64_t capacity = 0;

  friend bool operator==(const NodeSum&, const NodeSum&) = default;
};

struct NodeVerdict {
  std::string reason{};  // "Deferred", "Infeasible", ...; "" where it says nothing
  std::string message{};
  std::optional<std::int64_t> generation{};  // the pod's generation that it refers to
  std::optional<Time> since{};
  std::optional<NodeSum> sums{};  // given in its message
  Agreement agreement = Agreement::Silent;
  std::string why{};  // if it differs: in what way

  // PodResizeInProgress.
  bool in_progress = false;
  std::string error{};  // of the actuation; "" for none
  std::optional<Time> in_progress_since{};

  friend bool operator==(const NodeVerdict&, const NodeVerdict&) = default;
};

// `ours` is our decision about the pod; `others` is the sum behind it.
[[nodiscard]] NodeVerdict node_verdict(const Pod& pod, const ResizeDecision& ours,
                                       const Resources& others);

// The sums in a kubelet's message, "Node didn't have enough resource: cpu, requested: 3000, used:
// 2000, capacity: 4000" or "... enough capacity: cpu, requested: 9, capacity: 4"; nothing for any
// other text.
[[nodiscard]] std::optional<NodeSum> sums_in(std::string_view message);

}  // namespace elbowroom::policy
