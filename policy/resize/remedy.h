// What would help a resize that waits or cannot be done. Nothing here is canned; each answer was
// tried on a changed copy of the world by the functions that decide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/resize/resize_report.h"

namespace elbowroom::policy {

enum class RemedyKind {
  AskForLess,    // a smaller request fits now
  Removal,       // somebody else goes
  NodePolicy,    // the Node's policy against preemption is taken away
  PodCondition,  // PodResizePreemptionDisabled is taken away
  MayPreempt,    // preemptionPolicy other than Never
  Priority,      // a higher one
  Budget,        // a hard budget allows more
  NodeReady,     // the node comes back
  NodeManager,   // without the node's static policy
  Recreation,    // a new pod in place of this one
};
[[nodiscard]] std::string_view to_string(RemedyKind kind);

struct Remedy {
  RemedyKind kind = RemedyKind::AskForLess;
  std::string text{};
  std::vector<std::string> pods{};  // who would go: NAMESPACE/NAME

  friend bool operator==(const Remedy&, const Remedy&) = default;
};

// Empty unless `report`, the answer to `question`, is Deferred or Infeasible.
[[nodiscard]] std::vector<Remedy> remedies(const ResizeQuestion& question,
                                           const ResizeReport& report);

}  // namespace elbowroom::policy
