// What is known of an object that creates pods, as far as moves go: to which other object it
// belongs, whether it is at rest, and which pods it selects. Source: kubernetes apps/v1, `kubectl
// rollout status`.
#pragma once

#include <string>

#include "policy/model/selector.h"

namespace elbowroom::policy {

struct MoveOwner {
  std::string kind{};  // Deployment, ReplicaSet or StatefulSet
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string controller{};  // the uid of the object that controls it; "": none
  bool tells = false;        // its status is known
  std::string rolls_out{};   // why no pod of it is moved now, in words; "": it is at rest
  LabelSelector selector{};  // of its pods, which are spread by it; empty for a Deployment

  friend bool operator==(const MoveOwner&, const MoveOwner&) = default;
};

}  // namespace elbowroom::policy
