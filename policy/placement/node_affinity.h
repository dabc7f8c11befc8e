// Which nodes a pod's node selector and node affinity name. Every expression is worked out once per
// value that the label has, so that asking about a node looks nothing up by name.
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
  // Both must outlive it.
  NodeAffinityMatch(ClusterRoom& room, const Placement& placement);

  // The node selector and the required affinity. Source: component-helpers
  // scheduling/corev1/nodeaffinity, GetRequiredNodeAffinity.
  [[nodiscard]] bool is_allowed(std::uint32_t node) const;

  // The sum of the weights of the preferred terms that match.
  [[nodiscard]] std::int64_t preference(std::uint32_t node) const;
  [[nodiscard]] bool prefers() const { return !preferred_.empty(); }

 private:
  struct Tested {
    const LabelColumn* column = nullptr;
    std::vector<bool> holds{};  // by number of the value
  };
  struct Named {
    std::set<std::string_view> names{};
    bool listed = true;  // must the name be among them?
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
  static Term compiled(ClusterRoom& room, const NodeTerm& term);
  [[nodiscard]] bool matches(const Term& term, std::uint32_t node) const;

  const ClusterRoom& room_;
  Term selector_{};
  bool has_required_ = false;
  std::vector<Term> required_{};
  std::vector<Preferred> preferred_{};
};

}  // namespace elbowroom::policy
