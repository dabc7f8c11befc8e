// What placement reads of claims, volumes, storage classes and drivers: the parts that a decision
// needs, and no others. Sizes are bytes. Source: core/v1 PersistentVolumeClaim and
// PersistentVolume, storage.k8s.io/v1 StorageClass, CSINode, CSIDriver and CSIStorageCapacity.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/model/placement.h"
#include "policy/model/selector.h"

namespace elbowroom::policy {

// A set of access modes. Unknown modes are one mode that no other object has.
using AccessModes = std::uint8_t;
inline constexpr AccessModes kReadWriteOnce = 1;
inline constexpr AccessModes kReadOnlyMany = 2;
inline constexpr AccessModes kReadWriteMany = 4;
inline constexpr AccessModes kReadWriteOncePod = 8;
inline constexpr AccessModes kClaimedUnknownMode = 16;
inline constexpr AccessModes kOfferedUnknownMode = 32;

// The provisioner of classes whose volumes an administrator makes.
inline constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

struct VolumeClaim {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string resource_version{};
  std::string storage_class{};     // "": none
  std::string attributes_class{};  // volumeAttributesClassName
  std::string volume{};            // spec.volumeName
  AccessModes access_modes = 0;
  bool is_block = false;
  std::optional<std::int64_t> request{};    // none: it asks for no size
  std::optional<LabelSelector> selector{};  // none: any volume
  bool is_completed = false;                // annotation pv.kubernetes.io/bind-completed
  bool is_lost = false;
  bool is_terminating = false;
  std::optional<std::string> selected_node{};  // annotation volume.kubernetes.io/selected-node
  std::string controller_uid{};                // of its controller; "": it has none

  // Its volume is known, and the binding is complete.
  [[nodiscard]] bool is_bound() const { return !volume.empty() && is_completed; }
  friend bool operator==(const VolumeClaim&, const VolumeClaim&) = default;
};

[[nodiscard]] inline std::string key_of(const VolumeClaim& claim) {
  return claim.ns + "/" + claim.name;
}

// The claim that a volume is bound, or reserved, to.
struct ClaimRef {
  std::string ns{};
  std::string name{};
  std::string uid{};  // "": a claim of that name

  friend bool operator==(const ClaimRef&, const ClaimRef&) = default;
};

[[nodiscard]] inline bool refers_to(const ClaimRef& ref, const VolumeClaim& claim) {
  return ref.name == claim.name && ref.ns == claim.ns && (ref.uid.empty() || ref.uid == claim.uid);
}

struct PersistentVolume {
  std::string name{};
  std::string uid{};
  std::string resource_version{};
  std::string storage_class{};
  std::string attributes_class{};
  std::string driver{};  // of a CSI volume
  std::string handle{};
  AccessModes access_modes = 0;
  bool is_block = false;
  bool is_available = false;  // status.phase
  bool is_terminating = false;
  bool is_bound_by_controller = false;  // annotation pv.kubernetes.io/bound-by-controller
  std::int64_t capacity = 0;
  std::optional<ClaimRef> claim{};
  // Labels of an available volume; of others only those that name a zone or a region.
  Labels labels{};
  // None: any node. Otherwise one of the terms must match.
  std::optional<std::vector<NodeTerm>> nodes{};

  friend bool operator==(const PersistentVolume&, const PersistentVolume&) = default;
};

struct StorageClass {
  std::string name{};
  std::string provisioner{};
  bool waits_for_consumer = false;  // volumeBindingMode
  // None: any node. Otherwise one of the terms must match.
  std::optional<std::vector<NodeTerm>> topologies{};

  // Volumes of the class are made on demand.
  [[nodiscard]] bool provisions() const {
    return !provisioner.empty() && provisioner != kNoProvisioner;
  }
  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

// How many volumes of each driver a node can have attached. A driver without an entry has no limit.
struct CsiNode {
  std::string name{};
  std::map<std::string, std::int64_t, std::less<>> limits{};

  friend bool operator==(const CsiNode&, const CsiNode&) = default;
};

struct CsiDriver {
  std::string name{};
  bool publishes_capacity = false;

  friend bool operator==(const CsiDriver&, const CsiDriver&) = default;
};

// How large a volume of the class can be on the nodes that match.
struct StorageCapacity {
  std::string ns{};
  std::string name{};
  std::string storage_class{};
  std::optional<LabelSelector> nodes{};  // none: no node
  std::optional<std::int64_t> largest{};

  friend bool operator==(const StorageCapacity&, const StorageCapacity&) = default;
};

// All of them, at one moment.
struct VolumeObjects {
  std::vector<VolumeClaim> claims{};
  std::vector<PersistentVolume> volumes{};
  std::vector<StorageClass> classes{};
  std::vector<CsiNode> csi_nodes{};
  std::vector<CsiDriver> drivers{};
  std::vector<StorageCapacity> capacities{};
};

// What must be written before the pod is bound to the node.
struct VolumePlan {
  struct Binding {
    std::string claim{};  // NAMESPACE/NAME
    std::string volume{};
    friend bool operator==(const Binding&, const Binding&) = default;
  };
  std::vector<Binding> bindings{};        // volumes that exist
  std::vector<std::string> provisions{};  // claims whose volumes are made for that node

  [[nodiscard]] bool empty() const { return bindings.empty() && provisions.empty(); }
  friend bool operator==(const VolumePlan&, const VolumePlan&) = default;
};

}  // namespace elbowroom::policy
