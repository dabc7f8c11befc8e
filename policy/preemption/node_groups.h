// The pod groups that are removed as a whole and have pods on one node, for one decision about that
// node.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/unit.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::policy {

class NodeGroups {
 public:
  // Made of what the moment's pods say of their groups. The moment's pods must outlive it.
  explicit NodeGroups(const NodeMoment& moment);
  NodeGroups(const NodeGroups&) = delete;
  NodeGroups& operator=(const NodeGroups&) = delete;

  // The group that the pod of the node is removed with, or nullptr: it is a unit of one.
  [[nodiscard]] const GroupUnit<Pod>* of(const Pod& pod) const;
  [[nodiscard]] bool empty() const { return units_.empty(); }

 private:
  struct Members {
    std::vector<const Pod*> here{};
    std::vector<const Pod*> elsewhere{};
  };
  std::map<std::string, Members> by_key_{};
  std::vector<const Pod*> members_{};  // group after group; those on the node first
  std::vector<GroupUnit<Pod>> units_{};
};

// Another node has pods of a group: if no pod may be removed there, notes it for all its pods.
// `pods`: all pods bound to that node.
void note_stuck(const Node& node, std::span<const Pod> pods, const OverduePods& lapsed,
                Unremovable& to);

}  // namespace elbowroom::policy
