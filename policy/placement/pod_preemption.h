// Who would have to go from one node so that a pending pod fits there, and which node is harmed
// least. Only pods of the node itself go, and no pod is kept because the pending one wants to be
// near it: that is decided (Pod Preemption, "Supporting Inter-Pod Affinity on lower priority Pods?"
// and "Supporting Cross Node Preemption?").
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

// A pod of lower priority, and what became of it.
struct RatedHolding {
  const RoomHolding* holding = nullptr;
  bool breaks_budget = false;
  bool is_marked = false;  // to make room for this very pod
  bool goes = false;
  Refusal without_it_gone{};  // of those that go: what spoke against putting it back
};

struct NodePreemption {
  std::uint32_t node = 0;
  std::vector<RatedHolding> rated{};  // who could go, most important first
  std::int64_t victims = 0;           // 0: removing pods does not help here
  int budget_violations = 0;
  // Why it does not help, where somebody could go: what the filters say with all of them gone.
  Refusal still{};
  Resources still_used{};
};

// Terminating, and to be gone only after ScheduleTerms::waits_until; but for one that makes room
// for this very pod, or the pod would have more removed while that one is terminating.
[[nodiscard]] bool leaves_late(const RoomHolding& holding, const Pod& pod,
                               const ScheduleTerms& terms);

class PodPreemption {
 public:
  // By default rules the filter is asked for WhenTheyLeft; by upstream's nobody leaves. Late: after
  // ScheduleTerms::waits_until.
  enum class Late : std::uint8_t { Leaves, Stays };
  PodPreemption(const NodeFilter& filter, const ScheduleTerms& terms, Late late = Late::Leaves)
      : filter_(filter),
        terms_(terms),
        late_(late),
        priority_(priority_of(filter.pod())),
        nobody_goes_(terms.nobody_goes_on.contains("*")) {}

  // A pod on its way out in time; by upstream's rules nobody is.
  [[nodiscard]] bool is_leaving(const RoomHolding& holding) const;
  [[nodiscard]] bool is_late(const RoomHolding& holding) const {
    return leaves_late(holding, filter_.pod(), terms_);
  }

  // True when the pod fits once those on their way out are gone.
  [[nodiscard]] bool fits_when_they_left(std::uint32_t node) const;

  // Requires that the filters say Unschedulable there.
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
  bool nobody_goes_;       // on no node
};

// What choosing a node costs; less is better: fewest budget violations, lowest highest-victim
// priority, smallest sum of priorities (each raised by 2^31, so that another victim never makes a
// node cheaper), fewest victims, latest start of the most important victim, node name. Source:
// kube-scheduler pickOneNodeForPreemption (1.37).
struct Harm {
  int budget_violations = 0;
  std::int32_t highest_priority = 0;
  std::int64_t priorities = 0;
  std::int64_t victims = 0;
  bool has_started = false;  // one that never started counts as the latest
  std::int64_t negated_start = 0;
  std::string_view node{};

  friend auto operator<=>(const Harm&, const Harm&) = default;
};

[[nodiscard]] Harm harm_of(const ClusterRoom& room, const NodePreemption& preemption);

}  // namespace elbowroom::policy
