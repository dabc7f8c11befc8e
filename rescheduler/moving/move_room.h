// What moves are decided on beside the snapshot: the room of every node, the pods that wait for
// one, namespaces, and the owners of pods. It follows the snapshot event by event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/packed_pod.h"
#include "cluster/snapshot.h"
#include "policy/model/namespace.h"
#include "policy/model/node.h"
#include "policy/moves/move_owner.h"
#include "policy/moves/replica.h"
#include "policy/placement/cluster_room.h"

namespace elbowroom::rescheduler {

class MoveRoom {
 public:
  using KeysByNode = std::map<std::string, std::set<std::string>, std::less<>>;

  void put(const policy::Node& node);
  void remove_node(std::string_view name);
  void put(const policy::Namespace& seen);
  void remove_namespace(const std::string& name);
  // What the snapshot made of a pod.
  void apply(const cluster::PodEvent& event);
  // A pod as it is now, whether or not the snapshot keeps it: one that waits for a node is kept
  // here.
  void saw(const cluster::PackedPod& packed);
  void gone(std::string_view key);
  void put(const policy::MoveOwner& owner);
  void remove_owner(std::string_view kind, std::string_view key);

  // For policy::plan_moves, which leaves it as it was.
  [[nodiscard]] policy::ClusterRoom& room() { return room_; }
  [[nodiscard]] const policy::ClusterRoom& room() const { return room_; }
  // Those that wait for a node, by key.
  [[nodiscard]] std::vector<policy::Pod> pending() const { return pending_with(""); }
  [[nodiscard]] std::vector<policy::Pod> pending_in(const std::string& ns) const {
    return pending_with(ns + "/");
  }
  [[nodiscard]] std::vector<std::string> pending_keys() const;
  // The keys of pods that prefer nodes, by the node that they are on.
  [[nodiscard]] const KeysByNode& preferring() const { return preferring_; }
  // A pod on that node is about to be removed.
  [[nodiscard]] bool is_restless(std::string_view node) const { return marked_.contains(node); }
  // nullptr: it is not known.
  [[nodiscard]] const policy::MoveOwner* owner(std::string_view uid) const;
  // The kinds' keys of owners: for what a list no longer has.
  [[nodiscard]] std::vector<std::string> owner_keys(std::string_view kind) const;
  // The pods on nodes that this controller has; those that wait for a node are not among them.
  [[nodiscard]] std::vector<policy::Replica> replicas_of(std::string_view controller) const;
  // How often anything here changed.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  [[nodiscard]] std::vector<policy::Pod> pending_with(std::string_view prefix) const;
  void follow(const policy::Pod& pod, bool comes);
  void count_replica(const policy::Pod& pod, bool comes);

  policy::ClusterRoom room_{policy::RuleSet::Elbowroom};
  std::map<std::string, cluster::PackedPod, std::less<>> pending_{};  // by key
  KeysByNode preferring_{};
  KeysByNode marked_{};  // pods that are about to be removed
  std::map<std::string, policy::MoveOwner, std::less<>> owners_{};               // by uid
  std::map<std::string, std::string, std::less<>> owner_uids_{};                 // by kind and key
  std::map<std::string, std::vector<policy::Replica>, std::less<>> replicas_{};  // by controller
  std::uint64_t version_ = 0;
};

}  // namespace elbowroom::rescheduler
