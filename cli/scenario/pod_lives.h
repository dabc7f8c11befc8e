// The events of a timeline as the lives of its pods: from when to when each was there, on which
// node, how long it waited, and for which pod it left.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/scenario/timeline.h"

namespace elbowroom::cli {

struct PodLife {
  using Time = std::chrono::milliseconds;
  // Its resize was Deferred.
  struct Wait {
    Time from{0};
    std::optional<Time> to{};  // none: it goes on
    std::string words{};       // what it asks for, "cpu 1 -> 2"; "" where that is not known
  };
  // A size that was allocated.
  struct Size {
    Time at{0};
    std::string words{};  // "cpu 1 -> 2"
  };

  std::string pod{};   // NAMESPACE/NAME
  std::string node{};  // "": it never had one
  Time from{0};
  std::optional<Time> bound{};   // since when it has its node
  std::optional<Time> leaves{};  // since when it is terminating
  Time to{0};                    // it is gone, or has finished, or the scenario ended
  bool ended = false;            // before the scenario
  std::string why{};             // why it leaves: "evicted", "moved"; "" where nothing says so
  std::vector<Wait> waits{};
  std::vector<Size> sizes{};

  // Something happens to it.
  [[nodiscard]] bool has_story() const {
    return from.count() > 0 || leaves || ended || !waits.empty() || !sizes.empty() || !bound ||
           *bound > from;
  }
};

// A pod left to make room for another one. Indices of lives.
struct RoomMade {
  std::size_t victim = 0;
  std::size_t preemptor = 0;
};

struct PodLives {
  std::vector<PodLife> lives{};  // in the order in which events name them
  std::vector<RoomMade> room{};
};

[[nodiscard]] PodLives lives_of(const Timeline& timeline);

}  // namespace elbowroom::cli
