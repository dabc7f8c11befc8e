// The pod groups of a cluster, and which pods name them. A pod may name a group that does not
// exist.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/pod_group.h"

namespace elbowroom::cluster {

class PodGroups {
 public:
  using Names = std::set<std::string, std::less<>>;

  // By "NAMESPACE/NAME"; nullptr: there is none.
  [[nodiscard]] const policy::PodGroup* find(std::string_view key) const;
  // Both return the group as it was.
  std::optional<policy::PodGroup> put(policy::PodGroup group);
  // Does nothing if the name now belongs to another uid ("" matches any).
  std::optional<policy::PodGroup> remove(std::string_view key, std::string_view uid);
  // The keys of all groups, sorted.
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] std::size_t size() const { return groups_.size(); }

  // The pod names a group, or no longer does.
  void join(const policy::Pod& pod);
  void leave(const policy::Pod& pod);
  // The keys of the pods that name that group, whether or not it exists; sorted.
  [[nodiscard]] const Names& members(std::string_view key) const;

  // Sets what the pod's group says (Pod::group).
  void stamp(policy::Pod& pod) const;

 private:
  std::map<std::string, policy::PodGroup, std::less<>> groups_{};
  std::map<std::string, Names, std::less<>> members_{};
};

}  // namespace elbowroom::cluster
