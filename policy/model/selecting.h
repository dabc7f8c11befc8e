// An object that selects pods and so says which of them belong together: a Service, or what creates
// pods. Pods that ask for no spreading themselves are spread with those that belong to them
// (policy/placement/default_spread.h).
#pragma once

#include <string>

#include "policy/model/selector.h"

namespace elbowroom::policy {

enum class SelectingKind { Service, ReplicationController, ReplicaSet, StatefulSet };

struct Selecting {
  SelectingKind kind = SelectingKind::Service;
  std::string ns{};
  std::string name{};
  LabelSelector selector{};  // empty: it selects no pod; a service's has labels only

  friend bool operator==(const Selecting&, const Selecting&) = default;
};

}  // namespace elbowroom::policy
