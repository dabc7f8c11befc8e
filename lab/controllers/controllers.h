// The controllers of a cluster that make pods and count them: those of ReplicaSets, Deployments,
// StatefulSets, DaemonSets and PodDisruptionBudgets, and the collector of what owners leave behind.
// They read no clock and use no random numbers: equal worlds at equal times become equal worlds.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/controllers/controller_step.h"
#include "lab/controllers/owner_collector.h"
#include "lab/controllers/volume_binding.h"
#include "lab/world/world.h"
#include "policy/model/time.h"

namespace elbowroom::lab {

class Controllers {
 public:
  // `world` must outlive it.
  explicit Controllers(World& world) : world_(world), collector_(world), volumes_(world) {}

  // Does all that is due, until the controllers are at rest or had 1,000 turns each; returns
  // whether the world changed. Does nothing if nothing that concerns them changed since.
  bool step(policy::Time now);

  // True when step() may have something to do.
  [[nodiscard]] bool is_due(policy::Time now) const;
  // When something is due without a change of the world.
  [[nodiscard]] std::optional<policy::Time> next_due() const { return next_due_; }

 private:
  [[nodiscard]] std::uint64_t last_change() const;

  World& world_;
  OwnerCollector collector_;
  VolumeController volumes_;
  std::uint64_t seen_ = 0;  // the version of the last change that it has handled
  std::optional<policy::Time> next_due_{};
};

}  // namespace elbowroom::lab
