// Removes what belongs to owners that are all gone: pods, their claims, and the objects of apps/v1.
// An owner of a kind that the lab does not have counts as present. Deletion never waits for
// dependants and never orphans them. Source: kubernetes pkg/controller/garbagecollector.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lab/controllers/controller_step.h"
#include "lab/world/kind.h"
#include "lab/world/world.h"

namespace elbowroom::lab {

class OwnerCollector {
 public:
  // `world` must outlive it.
  explicit OwnerCollector(World& world) : world_(world) {}

  // Removes what has no owner left since the last step. Looks only at objects that changed since
  // and at their dependants; at all objects where the history of the world is too short.
  [[nodiscard]] ControllerStep step();

 private:
  // The place of the kind in all_kinds(), the namespace ("" for none) and the name.
  using Place = std::tuple<std::size_t, std::string, std::string>;

  void begin_again();
  void follow_changes();
  // Reads the owners of the object that is there now, if one is.
  void read_owners(const Place& place);

  World& world_;
  std::uint64_t seen_ = 0;                       // the version of the last change that it has seen
  std::map<Place, std::vector<Place>> owners_;   // by object; only objects that have owners
  std::map<Place, std::set<Place>> dependants_;  // by owner, one that never existed included
  std::set<Place> open_;                         // objects to look at
};

}  // namespace elbowroom::lab
