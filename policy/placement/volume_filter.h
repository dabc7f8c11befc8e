// Whether the volumes of a pending pod allow a node, and which volumes its unbound claims would
// get there. Only pods with claims have one. What depends on the node alone is looked at once per
// node. Source: kube-scheduler plugins volumerestrictions, nodevolumelimits, volumebinding and
// volumezone (1.37); component-helpers storage/volume, FindMatchingVolume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/volume.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/node_affinity.h"
#include "policy/placement/refusal.h"

namespace elbowroom::policy {

// What matters of the pods that are counted on a node.
struct VolumeOccupancy {
  std::int64_t conflicts = 0;  // pods that use a ReadWriteOncePod claim of the pod
  // Their CSI volumes of the pod's drivers, where the node has limits, in order; and how many there
  // are of each of those drivers.
  std::vector<std::uint32_t> attached{};
  std::vector<std::int64_t> of_driver{};
};

class VolumeFilter {
 public:
  // Both must outlive this object, and the room must not change in that time.
  VolumeFilter(ClusterRoom& room, const Pod& pod);

  // Why the pod fits on no node, whatever the node, in upstream's words; "" if nothing speaks
  // against it.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

  // ---- requires that there is no obstacle ----

  // With all the node's pods, but no nominated ones.
  [[nodiscard]] Refusal refusal(std::uint32_t node) const;
  // With the pods that were counted, and all pods of other nodes.
  [[nodiscard]] Refusal refusal_beside(std::uint32_t node, const VolumeOccupancy& occupancy) const;
  // Counts a pod of the node, or one nominated to it.
  void count(VolumeOccupancy& to, std::uint32_t node, std::string_view pod) const;

  // That pod and this one cannot run at the same time.
  [[nodiscard]] bool conflicts_with(std::string_view pod) const;

  // What must be bound first if the pod goes to the node, which does not refuse it.
  [[nodiscard]] VolumePlan plan(std::uint32_t node) const;

 private:
  struct Zone {
    const LabelColumn* column = nullptr;
    const LabelColumn* newer = nullptr;  // the label's present name
    std::set<std::string, std::less<>> values{};
  };
  struct Unbound {
    const VolumeClaim* claim = nullptr;
    const StorageClass* storage_class = nullptr;
    std::size_t topologies = 0;  // 1 + its place in topologies_; 0: any node
  };
  // Of one node, for the unbound claims.
  struct Found {
    std::uint32_t reasons = 0;
    VolumePlan plan{};
  };

  [[nodiscard]] std::string find_obstacle(const Pod& pod) const;
  [[nodiscard]] bool depends_on_others() const;
  void prepare(ClusterRoom& room, const Pod& pod);
  void prepare_csi(const VolumeClaim& claim);
  void prepare_bound(ClusterRoom& room, const VolumeClaim& claim, bool is_ephemeral);
  void prepare_unbound(ClusterRoom& room);
  [[nodiscard]] Refusal by_node(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t reasons_of(std::uint32_t node) const;
  [[nodiscard]] Found found_on(std::uint32_t node) const;
  // The free volumes of `sizes` that suit the claim on any node that they reach, smallest first.
  [[nodiscard]] const std::vector<const PersistentVolume*>& suited(
      const VolumeClaim& claim, const VolumeRoom::BySize& sizes) const;
  [[nodiscard]] const PersistentVolume* matching(const VolumeClaim& claim, const Node& node,
                                                 const std::set<std::string_view>& taken) const;
  [[nodiscard]] bool suits(const PersistentVolume& volume, const VolumeClaim& claim) const;
  [[nodiscard]] std::uint32_t provisions(const Unbound& of, std::uint32_t node) const;
  [[nodiscard]] bool zones_allow(std::uint32_t node) const;
  [[nodiscard]] const CsiNode* limits_on(std::uint32_t node) const;
  [[nodiscard]] bool exceeds(const CsiNode& limits, std::uint32_t node,
                             const VolumeOccupancy* occupancy) const;

  const ClusterRoom& room_;
  const VolumeRoom& volumes_;
  std::string obstacle_{};
  bool is_gone_ = false;                            // some bound volume does not exist
  std::vector<NodeAffinityMatch> bound_{};          // the affinity of each bound volume
  std::vector<Zone> zones_{};                       // of bound volumes
  std::vector<const LabelColumn*> zone_columns_{};  // any label that makes a node zoned
  std::vector<Unbound> unbound_{};                  // smallest request first
  std::vector<NodeAffinityMatch> topologies_{};
  std::set<std::string, std::less<>> in_use_by_{};  // pods on nodes, with such a claim
  std::set<std::string, std::less<>> exclusive_{};  // ReadWriteOncePod claims
  std::map<CsiVolume, std::uint32_t> csi_{};        // with its number; 0: no pod uses it
  std::vector<std::string> csi_drivers_{};          // of them, each once
  // Asked for again and again while victims are tried: 0 not known, else 1 + the reasons.
  mutable std::vector<std::uint64_t> known_{};
  mutable std::map<std::pair<const VolumeClaim*, const VolumeRoom::BySize*>,
                   std::vector<const PersistentVolume*>>
      suited_{};
};

}  // namespace elbowroom::policy
