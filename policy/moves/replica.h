// What a pod of a controller says about whether its owner is at rest.
#pragma once

#include <optional>
#include <string>

#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

struct Replica {
  std::string key{};      // NAMESPACE/NAME
  bool is_ready = false;  // and on a node
  std::optional<Time> started{};

  friend bool operator==(const Replica&, const Replica&) = default;
};

// None: it terminates or has finished, and counts no more. A pod without the condition Ready counts
// as ready: its kubelet has not said anything else.
[[nodiscard]] std::optional<Replica> replica_of(const Pod& pod);

}  // namespace elbowroom::policy
