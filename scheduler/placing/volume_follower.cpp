#include "scheduler/placing/volume_follower.h"

#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace elbowroom::scheduler {
namespace {

std::string key_in(const policy::VolumeClaim& of) { return policy::key_of(of); }
std::string key_in(const policy::StorageCapacity& of) { return of.ns + "/" + of.name; }
template <class T>
std::string key_in(const T& of) {
  return of.name;
}

}  // namespace

template <class T>
void VolumeFollower::take_list(control::Listed<T>& seen, Collection of) {
  std::set<std::string, std::less<>> there;
  for (T& each : seen.objects) {
    there.insert(key_in(each));
    take_in(std::move(each));
  }
  seen.objects = {};
  for (const std::string& key : state_.cluster.room().volumes().keys<T>()) {
    if (!there.contains(key)) gone<T>(key);
  }
  const bool was_known = state_.cluster.volumes_obstacle().empty();
  state_.cluster.listed(of);
  if (!was_known) following_changed();
}

template <class T>
void VolumeFollower::take_in(T object) {
  policy::VolumeRoom& volumes = state_.cluster.room().volumes();
  const std::string key = key_in(object);
  const auto woken = state_.volume_waits.by(volumes.find<T>(key), object);
  volumes.put(std::move(object));
  wake(woken);
  wake_bindings(*volumes.find<T>(key));
}

template <class T>
void VolumeFollower::gone(std::string_view key) {
  policy::VolumeRoom& volumes = state_.cluster.room().volumes();
  const T* known = volumes.find<T>(key);
  if (known == nullptr) return;
  const T before = *known;
  volumes.remove_object<T>(key);
  wake(state_.volume_waits.by_end_of(before));
  wake_bindings(before);
}

// The volumes of a pod are looked at in its own turn.
template <class T>
void VolumeFollower::wake_bindings(const T& object) {
  std::vector<std::string> pods;
  if constexpr (std::is_same_v<T, policy::VolumeClaim>) {
    pods = state_.volume_bindings.of_claim(policy::key_of(object));
  } else if constexpr (std::is_same_v<T, policy::PersistentVolume>) {
    pods = state_.volume_bindings.of_volume(object.name);
    if (object.claim) {
      for (std::string& each :
           state_.volume_bindings.of_claim(object.claim->ns + "/" + object.claim->name)) {
        pods.push_back(std::move(each));
      }
    }
  }
  for (const std::string& each : pods) {
    state_.waiting.queue().wake_one(each, cluster::Change::Own, state_.time());
  }
}

void VolumeFollower::wake(const VolumeWaits::Woken& woken) {
  Queue& queue = state_.waiting.queue();
  for (const std::string& each : woken.at_once) {
    queue.wake_one(state_.waiting.entry_of(each), cluster::Change::Own, state_.time());
  }
  for (const std::string& each : woken.later) {
    queue.wake_later(state_.waiting.entry_of(each), state_.time());
  }
}

void VolumeFollower::following_changed() {
  if (!state_.cluster.volumes_obstacle().empty()) return;
  Queue& queue = state_.waiting.queue();
  for (const std::string& each : state_.volume_waits.pods()) {
    queue.wake_one(state_.waiting.entry_of(each), cluster::Change::Own, state_.time());
  }
}

// For the calls in the header.
template void VolumeFollower::take_list(control::Listed<policy::VolumeClaim>&, Collection);
template void VolumeFollower::take_in(policy::VolumeClaim);
template void VolumeFollower::gone<policy::VolumeClaim>(std::string_view);
template void VolumeFollower::take_list(control::Listed<policy::PersistentVolume>&, Collection);
template void VolumeFollower::take_in(policy::PersistentVolume);
template void VolumeFollower::gone<policy::PersistentVolume>(std::string_view);
template void VolumeFollower::take_list(control::Listed<policy::StorageClass>&, Collection);
template void VolumeFollower::take_in(policy::StorageClass);
template void VolumeFollower::gone<policy::StorageClass>(std::string_view);
template void VolumeFollower::take_list(control::Listed<policy::CsiNode>&, Collection);
template void VolumeFollower::take_in(policy::CsiNode);
template void VolumeFollower::gone<policy::CsiNode>(std::string_view);
template void VolumeFollower::take_list(control::Listed<policy::CsiDriver>&, Collection);
template void VolumeFollower::take_in(policy::CsiDriver);
template void VolumeFollower::gone<policy::CsiDriver>(std::string_view);
template void VolumeFollower::take_list(control::Listed<policy::StorageCapacity>&, Collection);
template void VolumeFollower::take_in(policy::StorageCapacity);
template void VolumeFollower::gone<policy::StorageCapacity>(std::string_view);

}  // namespace elbowroom::scheduler
