// Which refused pods a change of claims, volumes, classes or drivers could help. Each filter's
// changes, as kube-scheduler's queueing hints have them (plugins volumebinding, volumezone,
// nodevolumelimits, 1.37), and narrower where the pod's claims tell more.
//
// - A claim that came, or changed: the pods that name it, at once.
// - A volume of a claim: the pods that name the claim, at once.
// - A free volume: unbound claims of its class.
// - A storage class that came, or has other topologies or another mode: unbound claims of the
// class.
// - A CSINode whose limit grew or ended, or that ended itself: every pod with claims. One that came
//   can only limit.
// - A CSIDriver that publishes no capacity any more: every pod with claims.
// - A CSIStorageCapacity that came, grew or has other nodes: unbound claims of its class.
//
// "Came" is also what could not be read before. Without "at once": after the pod's backoff.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/volume.h"
#include "policy/placement/volume_room.h"

namespace elbowroom::scheduler {

class VolumeWaits {
 public:
  struct Woken {
    std::set<std::string, std::less<>> at_once{};  // pods, NAMESPACE/NAME
    std::set<std::string, std::less<>> later{};

    friend bool operator==(const Woken&, const Woken&) = default;
  };

  // The pod was judged, and is not placed. Pods without claims are not noted.
  void note(const policy::Pod& pod, const policy::VolumeRoom& volumes);
  void forget(std::string_view pod);
  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  // All noted pods, in order.
  [[nodiscard]] std::vector<std::string> pods() const;

  // The pods that the change could help; `before`: nullptr if it was not known.
  [[nodiscard]] Woken by(const policy::VolumeClaim* before, const policy::VolumeClaim& after) const;
  [[nodiscard]] Woken by(const policy::PersistentVolume* before,
                         const policy::PersistentVolume& after) const;
  [[nodiscard]] Woken by(const policy::StorageClass* before,
                         const policy::StorageClass& after) const;
  [[nodiscard]] Woken by(const policy::CsiNode* before, const policy::CsiNode& after) const;
  [[nodiscard]] Woken by(const policy::CsiDriver* before, const policy::CsiDriver& after) const;
  [[nodiscard]] Woken by(const policy::StorageCapacity* before,
                         const policy::StorageCapacity& after) const;
  // Of what ended only a CSINode (no limits any more) and a CSIDriver (no capacity is looked at)
  // could help.
  template <class T>
  [[nodiscard]] Woken by_end_of(const T& /*before*/) const {
    constexpr bool kHelps =
        std::is_same_v<T, policy::CsiNode> || std::is_same_v<T, policy::CsiDriver>;
    return kHelps ? all() : Woken{};
  }

 private:
  using Names = std::set<std::string, std::less<>>;
  using Index = std::map<std::string, Names, std::less<>>;
  struct Noted {
    std::vector<std::string> claims{};
    Names classes{};  // of its unbound claims
  };

  [[nodiscard]] Woken all() const;
  [[nodiscard]] Names named(const Index& index, std::string_view name) const;

  std::map<std::string, Noted, std::less<>> pods_{};
  Index by_claim_{};
  Index by_class_{};
};

}  // namespace elbowroom::scheduler
