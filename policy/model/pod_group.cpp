#include "policy/model/pod_group.h"

namespace elbowroom::policy {

std::string key_of(const PodGroup& group) { return group.ns + "/" + group.name; }

std::string_view to_string(DisruptionMode mode) {
  return mode == DisruptionMode::All ? "All" : "Single";
}

std::string_view to_string(GroupObstacle obstacle) {
  switch (obstacle) {
    case GroupObstacle::None:
      return "";
    case GroupObstacle::CompositeParent:
      return "spec.parentCompositePodGroupName is not supported (CompositePodGroup)";
    case GroupObstacle::SchedulingConstraints:
      return "spec.schedulingConstraints is not supported";
    case GroupObstacle::ResourceClaims:
      return "spec.resourceClaims is not supported";
    case GroupObstacle::NotUnderstood:
      return "it cannot be understood";
  }
  return "it cannot be understood";
}

}  // namespace elbowroom::policy
