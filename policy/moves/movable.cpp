#include "policy/moves/movable.h"

#include <algorithm>

#include "policy/model/condition.h"

namespace elbowroom::policy {
namespace {

bool has(const Pod& pod, std::string_view condition) {
  return find_condition(pod.conditions, condition) != nullptr;
}

// In a file a pod with a node and without any status runs.
bool runs(const Pod& pod) {
  const bool has_status = pod.started || !pod.conditions.empty() ||
                          std::ranges::any_of(pod.containers, [](const Container& each) {
                            return each.state != RunState::None;
                          });
  return pod.phase == Phase::Running || (pod.phase == Phase::Pending && !has_status);
}

}  // namespace

std::string_view why_not_moved(const Pod& pod) {
  if (is_terminating(pod)) return "it is terminating";
  if (!runs(pod)) return "it does not run";
  if (pod.is_static || pod.is_mirror) return "it is a static pod";
  if (is_critical(pod)) return "it is critical";
  if (!pod.controller) return "it has no controller that would create it again";
  if (pod.controller->kind == "DaemonSet") {
    return "its DaemonSet would create it again on the same node";
  }
  if (is_grouped(pod)) return "it is of a pod group";
  if (has(pod, kPodResizePending) || has(pod, kPodResizeInProgress)) {
    return "a resize of it is not done yet";
  }
  if (has_true(pod.conditions, kDisruptionTarget)) return "it is about to be removed";
  return "";
}

bool takes_part(const Node& node) {
  return !node.unschedulable && node.ready != NodeReady::False && node.ready != NodeReady::Unknown;
}

}  // namespace elbowroom::policy
