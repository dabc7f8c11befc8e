// An object of a cluster with what decisions read, and nothing else: what may be secret is among
// the rest, and so is what a later version of the API adds.
//
// Kept are all of a label, a selector, an amount, a term, a condition; of volumes the claims and
// drivers. Names stay. Left out are environment, commands, probes and hooks of containers, secrets
// and configuration, addresses, what a container said at its end, annotations that no decision
// reads, and images, unless they are asked for.
#pragma once

#include "base/document.h"

namespace elbowroom::cli {

struct Shown {
  bool annotations = false;  // all of them
  bool environment = false;  // of containers, with their commands
  bool images = false;  // of pods, and those that nodes have: a node with a pod's image scores more
};

[[nodiscard]] Value redacted(Value object, const Shown& shown);

}  // namespace elbowroom::cli
