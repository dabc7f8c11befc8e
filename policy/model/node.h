// A node as decisions see it. Everything that disables preemption for resizes on the node is
// collected in resize_preemption_owners, and one entry is enough.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/model/image.h"
#include "policy/model/placement.h"
#include "policy/model/resources.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

enum class NodeReady { Unstated, True, False, Unknown };  // Unstated: no Ready condition

// The controller of pods that should avoid a node.
struct AvoidedController {
  std::string uid{};
  std::optional<Time> until{};  // none: as long as the entry is there

  friend bool operator==(const AvoidedController&, const AvoidedController&) = default;
};

struct Node {
  std::string name{};
  std::string uid{};
  std::string resource_version{};
  std::map<std::string, std::string, std::less<>> labels{};

  Resources allocatable{};
  std::int64_t allowed_pods = 0;  // allocatable "pods"; kMaxAmount: no bound is set
  bool unschedulable = false;
  std::vector<Taint> taints{};
  NodeReady ready = NodeReady::Unstated;

  // spec.podPreemptionPolicy.disableResizePreemption and the annotation
  // elbowroom.dev/disable-resize-preemption, merged; sorted, without duplicates. Malformed and
  // surplus owners count like the others.
  std::vector<std::string> resize_preemption_owners{};
  // The owners above that are not label keys, are truth values in the annotation, or exceed 20.
  std::vector<std::string> malformed_owners{};

  // Annotation elbowroom.dev/critical-preemption: node.
  bool critical_preemption_by_node = false;

  // Controllers whose pods should avoid this node; by uid, without duplicates. From the annotation
  // scheduler.alpha.kubernetes.io/preferAvoidPods.
  std::vector<AvoidedController> avoided_controllers{};

  // By name, each name once. What keeps nodes for long keeps none (policy/placement/image_score.h).
  std::vector<NodeImage> images{};

  friend bool operator==(const Node&, const Node&) = default;
};

[[nodiscard]] inline bool disables_resize_preemption(const Node& node) {
  return !node.resize_preemption_owners.empty();
}

}  // namespace elbowroom::policy
