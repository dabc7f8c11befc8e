// What a preview adds up to, for its first lines and its document.
#pragma once

#include <cstddef>

#include "cli/preview/preview.h"

namespace elbowroom::cli {

struct ResizeCounts {
  std::size_t deferred = 0;
  std::size_t infeasible = 0;
  std::size_t fit = 0;      // the node may allocate them now
  std::size_t granted = 0;  // Deferred, and pods are removed for them
  std::size_t coming = 0;   // Deferred, and room that is on its way is enough
  std::size_t not_known = 0;
  std::size_t victims = 0;  // pods, each once
};
[[nodiscard]] ResizeCounts counts_of(const WaitingResizes& resizes);

struct PendingCounts {
  std::size_t placed = 0;   // there is room now
  std::size_t granted = 0;  // pods are removed for them
  std::size_t coming = 0;   // they wait for room that is on its way
  std::size_t waiting = 0;  // nothing helps
  std::size_t not_known = 0;
  std::size_t victims = 0;  // pods, each once
};
[[nodiscard]] PendingCounts counts_of(const PendingPlacement& pending);

}  // namespace elbowroom::cli
