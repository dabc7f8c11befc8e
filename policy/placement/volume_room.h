// The claims, volumes, classes and drivers of a cluster, and which pods use which claim. Part of
// ClusterRoom. What is assumed of volumes and claims (a choice that is being written) counts like
// what the API server shows, so that no volume is chosen twice. The order of all these calls
// changes no decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/volume.h"
#include "policy/placement/labelled_index.h"

namespace elbowroom::policy {

// A volume of a CSI driver, as nodes count it.
struct CsiVolume {
  std::string driver{};
  std::string handle{};

  friend auto operator<=>(const CsiVolume&, const CsiVolume&) = default;
};

class VolumeRoom {
 public:
  void put(VolumeClaim claim);
  void put(PersistentVolume volume);
  void put(StorageClass storage_class);
  void put(CsiNode node);
  void put(CsiDriver driver);
  void put(StorageCapacity capacity);
  void put_all(const VolumeObjects& objects);
  void remove_claim(std::string_view key);
  void remove_volume(std::string_view name);
  void remove_class(std::string_view name);
  void remove_csi_node(std::string_view name);
  void remove_driver(std::string_view name);
  void remove_capacity(std::string_view key);
  template <class T>
  void remove_object(std::string_view key) {
    if constexpr (std::is_same_v<T, VolumeClaim>) {
      remove_claim(key);
    } else if constexpr (std::is_same_v<T, PersistentVolume>) {
      remove_volume(key);
    } else if constexpr (std::is_same_v<T, StorageClass>) {
      remove_class(key);
    } else if constexpr (std::is_same_v<T, CsiNode>) {
      remove_csi_node(key);
    } else if constexpr (std::is_same_v<T, CsiDriver>) {
      remove_driver(key);
    } else {
      remove_capacity(key);
    }
  }

  // A pod with claims on that node, or nominated to it.
  void add(const Pod& pod, std::string_view node, bool is_nominated);
  void remove(const Pod& pod);

  // ---- assumed: in force until taken back, whatever is put ----

  void assume_bound(std::string_view volume, const VolumeClaim& claim);
  void assume_selected(std::string_view claim, std::string_view node);
  void take_back_bound(std::string_view volume);
  void take_back_selected(std::string_view claim);

  // ---- read by decisions; claims by NAMESPACE/NAME ----

  // How often an object was put or removed.
  [[nodiscard]] std::int64_t changes() const { return changes_; }

  [[nodiscard]] const VolumeClaim* claim(std::string_view key) const;
  [[nodiscard]] const PersistentVolume* volume(std::string_view name) const;
  [[nodiscard]] const StorageClass* storage_class(std::string_view name) const;
  [[nodiscard]] const CsiDriver* driver(std::string_view name) const;
  // Some node has a limit for the driver.
  [[nodiscard]] bool has_limits(std::string_view driver) const { return limits_.contains(driver); }
  // The limits of the node; nullptr: none are known.
  [[nodiscard]] const CsiNode* csi_node(std::string_view name) const;
  // The claim that the volume is bound or reserved to, or is assumed to be; nullptr: none.
  [[nodiscard]] const ClaimRef* claim_of(const PersistentVolume& volume) const;
  // The node for which the claim's volume is made, or is assumed to be; nullptr: none.
  [[nodiscard]] const std::string* selected_node(const VolumeClaim& claim) const;

  // NAMESPACE/NAME of the pods on nodes that use the claim; nominated ones not.
  [[nodiscard]] std::vector<std::string> users_of(std::string_view claim) const;
  // The node of a pod that is on one, "" if none or nominated only.
  [[nodiscard]] std::string_view node_of(std::string_view pod) const;
  // The claims of the pod that add() was called with.
  [[nodiscard]] std::span<const std::string> claims_of(std::string_view pod) const;

  // The volumes that name the claim as theirs, or are assumed to, by name.
  [[nodiscard]] std::vector<std::string> volumes_for(std::string_view claim) const;
  // Available volumes that no claim has, by capacity and name, that a node of those labels may use.
  using BySize = std::set<std::pair<std::int64_t, std::string>>;
  [[nodiscard]] std::vector<const BySize*> available(std::string_view storage_class,
                                                     const Labels& node) const;
  // Whether some driver's capacity for the class is at least that, on a node of those labels.
  [[nodiscard]] bool has_capacity(std::string_view storage_class, std::int64_t size,
                                  const Labels& node) const;

  // What the claim's volume counts as; nothing if it is of no CSI driver.
  [[nodiscard]] std::optional<CsiVolume> csi_volume_of(const VolumeClaim& claim) const;
  // The number of a volume that some pod on a node uses; 0: none does.
  [[nodiscard]] std::uint32_t csi_number(const CsiVolume& volume) const;
  [[nodiscard]] const CsiVolume& csi_volume(std::uint32_t number) const {
    return csi_volumes_[number].volume;
  }
  // How many volumes of the driver the node's pods use, and whether they use that one.
  [[nodiscard]] std::int64_t used_on(std::string_view node, std::string_view driver) const;
  [[nodiscard]] bool uses(std::string_view node, std::uint32_t csi_number) const;
  // The numbers of the pod's volumes.
  [[nodiscard]] std::vector<std::uint32_t> csi_numbers_of(std::string_view pod) const;

  // The keys of all known objects of that kind, in order.
  template <class T>
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> all;
    if constexpr (std::is_same_v<T, VolumeClaim>) {
      for (const auto& [key, of] : claims_) {
        if (of.claim) all.push_back(key);
      }
    } else {
      for (const auto& [key, of] : map_of<T>()) all.push_back(key);
    }
    return all;
  }
  // The object as it was put; nullptr: it is not known.
  template <class T>
  [[nodiscard]] const T* find(std::string_view key) const {
    if constexpr (std::is_same_v<T, VolumeClaim>) {
      return claim(key);
    } else {
      const auto at = map_of<T>().find(key);
      return at == map_of<T>().end() ? nullptr : &at->second;
    }
  }
  [[nodiscard]] std::size_t claims() const { return known_claims_; }

 private:
  template <class T>
  using ByName = std::map<std::string, T, std::less<>>;

  struct User {
    std::string uid{};
    std::string node{};
    bool is_nominated = false;
    std::vector<std::string> claims{};
    std::vector<bool> is_ephemeral{};
  };
  struct ClaimEntry {
    std::optional<VolumeClaim> claim{};
    std::vector<std::string> users{};    // pods, sorted
    std::vector<std::string> volumes{};  // that name it, sorted
    std::uint32_t counted = 0;           // as which CSI volume; 0: none
  };
  struct CsiEntry {
    CsiVolume volume{};
    std::size_t claims = 0;  // that count as it; 0: the number is unused
  };
  struct NodeUse {
    std::map<std::uint32_t, std::size_t> users{};  // by the volume's number
    ByName<std::int64_t> by_driver{};              // distinct volumes
  };
  struct ClassVolumes {
    LabelledIndex<std::pair<std::int64_t, std::string>> available{};
  };

  template <class T>
  [[nodiscard]] const ByName<T>& map_of() const {
    if constexpr (std::is_same_v<T, PersistentVolume>) {
      return volumes_;
    } else if constexpr (std::is_same_v<T, StorageClass>) {
      return classes_;
    } else if constexpr (std::is_same_v<T, CsiNode>) {
      return csi_nodes_;
    } else if constexpr (std::is_same_v<T, CsiDriver>) {
      return drivers_;
    } else {
      return capacities_;
    }
  }
  ClaimEntry& entry(std::string_view key);
  void drop_if_unused(std::string_view key);
  void recount(std::string_view key);
  void count_all(const ClaimEntry& of, int sign);
  void count(const User& user, std::uint32_t number, int sign);
  [[nodiscard]] bool counts_for(const ClaimEntry& of, const User& user,
                                std::string_view claim) const;
  std::uint32_t hold_csi(const CsiVolume& volume);
  void release_csi(std::uint32_t number);
  void file(const PersistentVolume& volume, bool comes);
  void file_capacity(const StorageCapacity& capacity, bool comes);
  void recount_class(std::string_view storage_class);

  std::int64_t changes_ = 0;
  ByName<ClaimEntry> claims_{};
  std::size_t known_claims_ = 0;
  ByName<PersistentVolume> volumes_{};
  ByName<StorageClass> classes_{};
  ByName<CsiNode> csi_nodes_{};
  ByName<std::size_t> limits_{};  // nodes with one, by driver
  ByName<CsiDriver> drivers_{};
  ByName<StorageCapacity> capacities_{};
  ByName<ClassVolumes> by_class_{};
  ByName<LabelledIndex<std::string>> capacities_by_class_{};
  ByName<User> users_{};  // by pod
  std::vector<CsiEntry> csi_volumes_{{}};
  std::vector<std::uint32_t> free_csi_{};
  std::map<CsiVolume, std::uint32_t> csi_numbers_{};
  ByName<NodeUse> nodes_{};
  ByName<ClaimRef> assumed_bound_{};                             // by volume
  std::set<std::pair<std::string, std::string>> assumed_for_{};  // claim and volume
  ByName<std::string> assumed_selected_{};                       // by claim
};

}  // namespace elbowroom::policy
