// Which nodes match a pod's node selector and node affinity. Every expression is evaluated once per
// label value, so that checking a node needs no lookup by name.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "policy/model/placement.h"
#include "policy/placement/cluster_room.h"

namespace elbowroom::policy {

class NodeAffinityMatch {
 public:
  // Both must outlive this object.
  NodeAffinityMatch(ClusterRoom& room, const Placement& placement);
  // One of the terms must match, as with required affinity. They too must outlive it.
  NodeAffinityMatch(ClusterRoom& room, const std::vector<NodeTerm>& required);

  // True when the node matches the node selector and the required affinity. Source:
  // component-helpers scheduling/corev1/nodeaffinity, GetRequiredNodeAffinity.
  [[nodiscard]] bool is_allowed(std::uint32_t node) const;

  // The sum of the weights of the preferred terms that match.
  [[nodiscard]] std::int64_t preference(std::uint32_t node) const;
  [[nodiscard]] bool prefers() const { return !preferred_.empty(); }

 private:
  struct Tested {
    const LabelColumn* column = nullptr;
    std::vector<bool> holds{};  // by the value's number
  };
  struct Named {
    std::set<std::string_view> names{};
    bool listed = true;  // whether the name must be among them
  };
  struct Term {
    std::vector<Tested> labels{};
    std::vector<Named> names{};
  };
  struct Preferred {
    std::int64_t weight = 0;
    Term term{};
  };

  static Tested tested(ClusterRoom& room, const NodeExpression& expression);
  void require(ClusterRoom& room, const std::vector<NodeTerm>& terms);
  static Term compiled(ClusterRoom& room, const NodeTerm& term);
  [[nodiscard]] bool matches(const Term& term, std::uint32_t node) const;

  const ClusterRoom& room_;
  Term selector_{};
  bool has_required_ = false;
  std::vector<Term> required_{};
  std::vector<Preferred> preferred_{};
};

}  // namespace elbowroom::policy
