// Which pods must be removed from one node so that a pending pod fits there, and which node is
// harmed least. Pods are removed by units: a unit with a pod on that node is removed as a whole. No
// other pods are victims, and no pod is reprieved because the pending pod's affinity names it. Both
// are upstream's decisions (Pod Preemption, "Supporting Inter-Pod Affinity on lower priority Pods?"
// and "Supporting Cross Node Preemption?").
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "policy/model/unit.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/node_filter.h"
#include "policy/placement/room_units.h"
#include "policy/placement/schedule.h"
#include "policy/placement/unit_budgets.h"

namespace elbowroom::policy {

// A unit of lower priority, and the decision about it.
struct RatedUnit {
  HoldingUnit unit{};
  Refusal without_it_gone{};  // for victims: what refused the reprieve
  Violations violating{};     // pods of the unit that violate a budget
  bool is_marked = false;     // to make room for this pending pod
  bool goes = false;

  [[nodiscard]] bool breaks_budget() const { return violating.any > 0; }
};

struct NodePreemption {
  std::uint32_t node = 0;
  bool has_groups = false;         // some unit is a group
  std::vector<RatedUnit> rated{};  // potential victims, most important first
  std::int64_t victims = 0;        // pods; 0: removing pods does not help here
  Violations violations{};         // pods of the victims
  // Why removal does not help, where there were potential victims: the refusal with all of them
  // gone.
  Refusal still{};
  Resources still_used{};
};

// Calls take(holding, rated) for each pod of the node, with the potential victim for its unit, or
// nullptr. Requires that units of one come in the order of the node's pods.
template <class Take>
void for_each_holding(const ClusterRoom& room, const NodePreemption& on, Take take) {
  const std::vector<RatedUnit>& rated = on.rated;
  auto next = rated.begin();  // the next unit of one
  for (const RoomHolding& each : room.nodes()[on.node].holders) {
    while (on.has_groups && next != rated.end() && next->unit.group != nullptr) ++next;
    const RatedUnit* of = nullptr;
    if (next != rated.end() && next->unit.pod == &each) {
      of = &*next++;
    } else if (on.has_groups) {
      const auto group = std::ranges::find_if(rated, [&](const RatedUnit& one) {
        return one.unit.group != nullptr && is_of(one.unit, each);
      });
      if (group != rated.end()) of = &*group;
    }
    take(each, of);
  }
}

// The pod terminates after ScheduleTerms::waits_until. A victim that makes room for `pod` itself is
// never late: otherwise `pod` would preempt more pods while that victim is terminating.
[[nodiscard]] bool terminates_late(const RoomHolding& holding, const Pod& pod,
                                   const ScheduleTerms& terms);

class PodPreemption {
 public:
  // By default rules the filter applies AfterTermination; by upstream's rules no pod counts as
  // leaving. Late: after ScheduleTerms::waits_until.
  enum class Late : std::uint8_t { Leaves, Stays };
  PodPreemption(const NodeFilter& filter, const ScheduleTerms& terms, Late late = Late::Leaves)
      : filter_(filter),
        terms_(terms),
        late_(late),
        priority_(priority_of(filter.pod())),
        budgets_(filter.room()) {}

  // The pod is terminating and leaves in time; never true by upstream's rules.
  [[nodiscard]] bool is_leaving(const RoomHolding& holding) const;
  [[nodiscard]] bool is_late(const RoomHolding& holding) const {
    return terminates_late(holding, filter_.pod(), terms_);
  }

  // True when the pod fits once the leaving pods are gone.
  [[nodiscard]] bool fits_after_termination(std::uint32_t node) const;

  // Requires that the filters return Unschedulable for the node.
  [[nodiscard]] NodePreemption on(std::uint32_t node) const;
  // The same, where the node's pods form `units`, most important first. Units that may not be
  // removed are left out of the result.
  [[nodiscard]] NodePreemption on(std::uint32_t node, std::span<const HoldingUnit> units) const;

 private:
  [[nodiscard]] bool is_overdue(const RoomHolding& holding) const {
    return terms_.lapsed.overdue.contains(holding.uid);
  }
  [[nodiscard]] bool upstream() const { return filter_.room().rules() == RuleSet::Upstream; }
  [[nodiscard]] bool may_leave(const RoomHolding& holding) const {
    if (holding.is_fixed || (holding.is_terminating() && !upstream())) return false;
    return terms_.unremovable.empty() || !terms_.unremovable.contains(holding.uid);
  }
  // Of a unit; found once for a group, which has pods on many nodes.
  struct Standing {
    bool may_be_victim = false;
    bool is_marked = false;
  };
  [[nodiscard]] Standing standing_of(const HoldingUnit& group) const;
  [[nodiscard]] bool may_be_victim(const HoldingUnit& unit) const;
  [[nodiscard]] bool is_marked(const HoldingUnit& unit) const;
  [[nodiscard]] bool may_lose_pods(std::uint32_t node) const;
  [[nodiscard]] NodePreemption reprieved(NodePreemption made) const;
  void reprieve_by_figures(NodePreemption& made) const;
  void reprieve_beside(NodePreemption& made) const;
  // try_back(unit) puts the unit back where it fits, and returns what refuses it.
  template <class TryBack>
  static void put_back(NodePreemption& made, TryBack try_back);
  void charge(std::vector<RatedUnit>& rated) const;

  const NodeFilter& filter_;
  const ScheduleTerms& terms_;
  Late late_;
  std::int32_t priority_;                                  // of the pending pod
  mutable std::map<std::string_view, Standing> groups_{};  // by name
  // What the nodes of one decision are charged with; kept for its memory.
  mutable UnitBudgets budgets_;
  mutable std::vector<HoldingUnit> units_{};
};

// The cost of choosing a node; less is better: fewest violations of PodDisruptionBudgets, lowest
// highest-victim priority, smallest sum of priorities (each raised by 2^31, so that another victim
// never makes a node cheaper), fewest violations of soft DisruptionBudgets, fewest victims, latest
// start of the most important unit, node name. Every pod of a unit is a victim of the unit's
// priority, wherever it runs. Source: kube-scheduler pickOneNodeForPreemption (1.37), which knows
// no DisruptionBudget.
struct Harm {
  int budget_violations = 0;
  std::int32_t highest_priority = 0;
  std::int64_t priorities = 0;
  int soft_violations = 0;
  std::int64_t victims = 0;
  bool has_started = false;  // a pod that never started counts as the latest
  std::int64_t negated_start = 0;
  std::string_view node{};

  friend auto operator<=>(const Harm&, const Harm&) = default;
};

[[nodiscard]] Harm harm_of(const ClusterRoom& room, const NodePreemption& preemption);

}  // namespace elbowroom::policy
