// The part of the controller-manager that pod groups need: a group that is being deleted loses its
// finalizer, and ends, once no pod that has not finished names it. Source: kubernetes
// pkg/controller/scheduling/podgroupprotection.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "lab/world/world.h"

namespace elbowroom::lab {

class PodGroupProtection {
 public:
  // `world` must outlive it.
  explicit PodGroupProtection(World& world) : world_(world) {}

  // Releases all groups that are no longer in use; returns whether it changed the world.
  bool step();

  // True when step() may have something to do.
  [[nodiscard]] bool is_due() const;

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name

  void find_leaving();
  [[nodiscard]] std::set<Key> used() const;

  World& world_;
  std::uint64_t seen_groups_ = 0;  // versions of the last changes that it has seen
  std::uint64_t seen_pods_ = 0;
  std::set<Key> leaving_{};  // groups that are being deleted and have the finalizer
};

}  // namespace elbowroom::lab
