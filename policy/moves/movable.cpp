#include "policy/moves/movable.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "policy/model/condition.h"

namespace elbowroom::policy {
namespace {

// A replica that has run for less is not known to work.
constexpr std::chrono::minutes kSettledAfter{1};

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

std::string in_words(const MoveOwner& owner) {
  return owner.kind + " " + owner.ns + "/" + owner.name;
}

// Of several the first by its key, whatever their order.
std::string why_replica_waits(const Pod& pod, const MoveScene& scene) {
  const auto is_young = [&](const Replica& each) {
    return scene.knows_time && each.started && scene.now - *each.started < kSettledAfter;
  };
  std::optional<Replica> first;
  for (Replica& each : scene.replicas_of(pod)) {
    if (each.is_ready && !is_young(each)) continue;
    if (!first || each.key < first->key) first = std::move(each);
  }
  if (!first) return "";
  return "pod " + first->key + " of its owner " +
         (first->is_ready ? "started less than a minute ago" : "is not Ready");
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
  if (pod.never_moves) return "its annotation elbowroom.dev/move says never";
  if (is_grouped(pod)) return "it is of a pod group";
  if (has(pod, kPodResizePending) || has(pod, kPodResizeInProgress)) {
    return "a resize of it is not done yet";
  }
  if (has_true(pod.conditions, kDisruptionTarget)) return "it is about to be removed";
  return "";
}

std::string_view why_not_moved(const Pod& pod, const MoveRules& rules) {
  if (!rules.namespaces.has(pod.ns)) return "the configuration leaves out its namespace";
  if (rules.protect_local_storage && pod.placement.has_local_storage) {
    return "its data is on the node, and protectLocalStorage is on";
  }
  return "";
}

TopOwner top_owner(const Pod& pod, const MoveScene& scene) {
  const MoveOwner* own = scene.owner(pod.controller->uid);
  if (own != nullptr && !own->controller.empty()) {
    if (const MoveOwner* top = scene.owner(own->controller)) {
      return {.uid = top->uid, .name = in_words(*top)};
    }
    return {.uid = own->controller, .name = in_words(*own)};
  }
  return {.uid = pod.controller->uid,
          .name = pod.controller->kind + " " + pod.ns + "/" + pod.controller->name};
}

std::string why_owner_waits(const Pod& pod, const MoveScene& scene) {
  const MoveOwner* own = scene.owner(pod.controller->uid);
  const MoveOwner* top =
      own != nullptr && !own->controller.empty() ? scene.owner(own->controller) : own;
  if (top == nullptr || !top->tells) return why_replica_waits(pod, scene);
  if (top->rolls_out.empty()) return "";
  return in_words(*top) + " rolls out: " + top->rolls_out;
}

bool takes_part(const Node& node) {
  return !node.unschedulable && node.ready != NodeReady::False && node.ready != NodeReady::Unknown;
}

bool is_restless(std::span<const Pod> pods) {
  return std::ranges::any_of(
      pods, [](const Pod& each) { return has_true(each.conditions, kDisruptionTarget); });
}

}  // namespace elbowroom::policy
