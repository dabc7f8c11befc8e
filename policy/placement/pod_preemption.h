// Which pods must be removed from one node so that a pending pod fits there, and which node is
// harmed least. Only pods of that node are victims, and no pod is reprieved because the pending
// pod's affinity names it. Both are upstream's decisions (Pod Preemption, "Supporting Inter-Pod
// Affinity on lower priority Pods?" and "Supporting Cross Node Preemption?").
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policy/placement/cluster_room.h"
#include "policy/placement/node_filter.h"
#include "policy/placement/schedule.h"

namespace elbowroom::policy {

// A pod of lower priority, and the decision about it.
struct RatedHolding {
  const RoomHolding* holding = nullptr;
  bool breaks_budget = false;
  bool is_marked = false;  // to make room for this pending pod
  bool goes = false;
  Refusal without_it_gone{};  // for victims: what refused the reprieve
};

struct NodePreemption {
  std::uint32_t node = 0;
  std::vector<RatedHolding> rated{};  // potential victims, most important first
  std::int64_t victims = 0;           // 0: removing pods does not help here
  int budget_violations = 0;
  // Why removal does not help, where there were potential victims: the refusal with all of them
  // gone.
  Refusal still{};
  Resources still_used{};
};

// The pod terminates after ScheduleTerms::waits_until. A victim that makes room for `pod` itself is
// never late: otherwise `pod` would preempt more pods while that victim is terminating.
[[nodiscard]] bool leaves_late(const RoomHolding& holding, const Pod& pod,
                               const ScheduleTerms& terms);

class PodPreemption {
 public:
  // By default rules the filter applies WhenTheyLeft; by upstream's rules no pod counts as leaving.
  // Late: after ScheduleTerms::waits_until.
  enum class Late : std::uint8_t { Leaves, Stays };
  PodPreemption(const NodeFilter& filter, const ScheduleTerms& terms, Late late = Late::Leaves)
      : filter_(filter),
        terms_(terms),
        late_(late),
        priority_(priority_of(filter.pod())),
        nobody_goes_(terms.nobody_goes_on.contains("*")) {}

  // The pod is terminating and leaves in time; never true by upstream's rules.
  [[nodiscard]] bool is_leaving(const RoomHolding& holding) const;
  [[nodiscard]] bool is_late(const RoomHolding& holding) const {
    return leaves_late(holding, filter_.pod(), terms_);
  }

  // True when the pod fits once the leaving pods are gone.
  [[nodiscard]] bool fits_when_they_left(std::uint32_t node) const;

  // Requires that the filters return Unschedulable for the node.
  [[nodiscard]] NodePreemption on(std::uint32_t node) const;

 private:
  [[nodiscard]] bool is_overdue(const RoomHolding& holding) const {
    return terms_.lapsed.overdue.contains(holding.uid);
  }
  [[nodiscard]] bool upstream() const { return filter_.room().rules() == RuleSet::Upstream; }
  [[nodiscard]] bool could_go(const RoomHolding& holding) const;
  [[nodiscard]] bool is_stuck(std::uint32_t node) const;
  void charge_budgets(std::vector<RatedHolding>& rated) const;

  const NodeFilter& filter_;
  const ScheduleTerms& terms_;
  Late late_;
  std::int32_t priority_;  // of the pending pod
  bool nobody_goes_;       // no victims on any node
};

// The cost of choosing a node; less is better: fewest budget violations, lowest highest-victim
// priority, smallest sum of priorities (each raised by 2^31, so that another victim never makes a
// node cheaper), fewest victims, latest start of the most important victim, node name. Source:
// kube-scheduler pickOneNodeForPreemption (1.37).
struct Harm {
  int budget_violations = 0;
  std::int32_t highest_priority = 0;
  std::int64_t priorities = 0;
  std::int64_t victims = 0;
  bool has_started = false;  // a pod that never started counts as the latest
  std::int64_t negated_start = 0;
  std::string_view node{};

  friend auto operator<=>(const Harm&, const Harm&) = default;
};

[[nodiscard]] Harm harm_of(const ClusterRoom& room, const NodePreemption& preemption);

}  // namespace elbowroom::policy
