// Brings the room up to what the watches show of claims, volumes, classes and drivers, and wakes
// the pods that a change could help: those that were refused, and those whose volumes are being
// bound.
#pragma once

#include <string>
#include <string_view>

#include "scheduler/observation.h"
#include "scheduler/reactor_state.h"

namespace elbowroom::scheduler {

class VolumeFollower {
 public:
  // It must live as long.
  explicit VolumeFollower(ReactorState& state) : state_(state) {}

  // What is listed is moved from: tens of thousands of claims.
  void on(ClaimsListed& seen) { take_list(seen, Collection::Claims); }
  void on(const ClaimSeen& seen) { take_in(seen.object); }
  void on(const ClaimGone& seen) { gone<policy::VolumeClaim>(seen.key); }
  void on(VolumesListed& seen) { take_list(seen, Collection::Volumes); }
  void on(const VolumeSeen& seen) { take_in(seen.object); }
  void on(const VolumeGone& seen) { gone<policy::PersistentVolume>(seen.key); }
  void on(StorageClassesListed& seen) { take_list(seen, Collection::StorageClasses); }
  void on(const StorageClassSeen& seen) { take_in(seen.object); }
  void on(const StorageClassGone& seen) { gone<policy::StorageClass>(seen.key); }
  void on(CsiNodesListed& seen) { take_list(seen, Collection::CsiNodes); }
  void on(const CsiNodeSeen& seen) { take_in(seen.object); }
  void on(const CsiNodeGone& seen) { gone<policy::CsiNode>(seen.key); }
  void on(CsiDriversListed& seen) { take_list(seen, Collection::CsiDrivers); }
  void on(const CsiDriverSeen& seen) { take_in(seen.object); }
  void on(const CsiDriverGone& seen) { gone<policy::CsiDriver>(seen.key); }
  void on(StorageCapacitiesListed& seen) { take_list(seen, Collection::StorageCapacities); }
  void on(const StorageCapacitySeen& seen) { take_in(seen.object); }
  void on(const StorageCapacityGone& seen) { gone<policy::StorageCapacity>(seen.key); }

  // The watch of one of them is lost, or back: pods with claims wait, or are judged again.
  void following_changed();

 private:
  template <class T>
  void take_list(control::Listed<T>& seen, Collection of);
  template <class T>
  void take_in(T object);
  template <class T>
  void gone(std::string_view key);
  template <class T>
  void wake_bindings(const T& object);
  void wake(const VolumeWaits::Woken& woken);

  ReactorState& state_;
};

}  // namespace elbowroom::scheduler
