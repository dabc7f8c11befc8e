// What would help a resize that is Deferred or Infeasible. Every remedy was tried on a changed copy
// of the state, by the functions that decide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/resize/resize_report.h"

namespace elbowroom::policy {

enum class RemedyKind {
  AskForLess,    // a smaller request fits now
  Removal,       // another pod is removed
  NodePolicy,    // the Node's policy against preemption is removed
  PodCondition,  // PodResizePreemptionDisabled is removed
  MayPreempt,    // preemptionPolicy other than Never
  Priority,      // a higher priority
  Budget,        // a hard budget allows more
  NodeReady,     // the node becomes Ready again
  NodeManager,   // without the node's static policy
  Recreation,    // a replacement pod
};
[[nodiscard]] std::string_view to_string(RemedyKind kind);

struct Remedy {
  RemedyKind kind = RemedyKind::AskForLess;
  std::string text{};
  std::vector<std::string> pods{};  // the pods to remove: NAMESPACE/NAME

  friend bool operator==(const Remedy&, const Remedy&) = default;
};

// Empty unless `report`, the answer to `question`, is Deferred or Infeasible.
[[nodiscard]] std::vector<Remedy> remedies(const ResizeQuestion& question,
                                           const ResizeReport& report);

}  // namespace elbowroom::policy
