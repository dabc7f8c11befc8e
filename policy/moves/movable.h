// Which pods may be moved at all, whatever a move would gain: those that come up elsewhere by
// themselves, and that nothing else is about to change.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/moves/move_owner.h"
#include "policy/moves/move_rules.h"
#include "policy/moves/move_scene.h"

namespace elbowroom::policy {

// Why the pod is not moved, by what it says itself, in words; "": it may be.
[[nodiscard]] std::string_view why_not_moved(const Pod& pod);
// The same by the configuration.
[[nodiscard]] std::string_view why_not_moved(const Pod& pod, const MoveRules& rules);

// The object that rests after a move of the pod, as far as it is known: of a ReplicaSet that a
// Deployment controls the Deployment, else the pod's controller. Requires a controller.
struct TopOwner {
  std::string uid{};
  std::string name{};  // KIND NAMESPACE/NAME
};
[[nodiscard]] TopOwner top_owner(const Pod& pod, const MoveScene& scene);

// Why no pod of the pod's owner is moved now: it rolls out, or where its object is not known, or is
// of another kind, one of its pods is not Ready or has just started; "": it is at rest.
[[nodiscard]] std::string why_owner_waits(const Pod& pod, const MoveScene& scene);

// Whether pods may leave the node and come to it: it is schedulable, and does not say that it is
// not Ready.
[[nodiscard]] bool takes_part(const Node& node);
// A pod of the node is about to be removed.
[[nodiscard]] bool is_restless(std::span<const Pod> pods);

}  // namespace elbowroom::policy
