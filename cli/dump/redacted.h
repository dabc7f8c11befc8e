// An object of a cluster without what no decision reads and what may be secret.
//
// Left out: environment, commands, probes and hooks of containers; volumes of secrets,
// configuration and hosts; parameters of storage; what a container said at its end; annotations
// that no decision reads; managed fields; images, unless they are asked for. Kept: all of a label,
// a selector, an amount, a term, a status.
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
