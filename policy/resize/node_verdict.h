// What the node says about a pod's resize, in the pod's conditions, held against our own judgement.
// Where both speak of the same generation and differ, somebody counts otherwise, and both sums are
// worth showing.
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
  Silent,   // the node says nothing, and nothing is pending
  Unsaid,   // something is pending, and the node has not spoken of it
  Earlier,  // it speaks of another generation of the pod
  Agrees,
  Differs,
};
[[nodiscard]] std::string_view to_string(Agreement agreement);

// One resource as a node adds it up.
struct NodeSum {
  std::string resource{};
  std::int64_t requested = 0;
  std::int64_t used = 0;  // by others; 0 where the request is above allocatable
  std::int64_t capacity = 0;

  friend bool operator==(const NodeSum&, const NodeSum&) = default;
};

struct NodeVerdict {
  std::string reason{};  // "Deferred", "Infeasible", ...; "" where it says nothing
  std::string message{};
  std::optional<std::int64_t> generation{};  // of the pod it spoke of
  std::optional<Time> since{};
  std::optional<NodeSum> sums{};  // that its message gives
  Agreement agreement = Agreement::Silent;
  std::string why{};  // where it differs: in which way

  // PodResizeInProgress.
  bool in_progress = false;
  std::string error{};  // of carrying it out; "" for none
  std::optional<Time> in_progress_since{};

  friend bool operator==(const NodeVerdict&, const NodeVerdict&) = default;
};

// `ours` is what we decide about the pod, `others` the sum it rests on.
[[nodiscard]] NodeVerdict node_verdict(const Pod& pod, const ResizeDecision& ours,
                                       const Resources& others);

// The sums in a kubelet's message, "Node didn't have enough resource: cpu, requested: 3000, used:
// 2000, capacity: 4000" or "... enough capacity: cpu, requested: 9, capacity: 4"; nothing for any
// other text.
[[nodiscard]] std::optional<NodeSum> sums_in(std::string_view message);

}  // namespace elbowroom::policy
