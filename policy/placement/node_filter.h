// Whether a pending pod fits on a node, and if not, why. The pod's requirements are evaluated once
// for the whole cluster. Checking a node then costs a few comparisons; checking a node without some
// of its pods costs no more than adding up the pods that stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/node_affinity.h"
#include "policy/placement/pod_tally.h"
#include "policy/placement/refusal.h"
#include "policy/placement/schedule.h"
#include "policy/placement/volume_filter.h"

namespace elbowroom::policy {

// The node itself does not admit the pod, whatever is on it.
[[nodiscard]] inline bool is_against_node(const Refusal& refusal) {
  return refusal.has(Reason::Unschedulable) || refusal.has(Reason::Taint) ||
         refusal.has(Reason::NodeAffinity) || refusal.has(Reason::VolumeNode) ||
         refusal.has(Reason::VolumeZone);
}

// What is on a node while the pod is tried there, limited to what matters to the pod.
struct Occupancy {
  Resources used{};
  std::int64_t pods = 0;
  std::int64_t port_conflicts = 0;
  std::vector<std::int64_t> changes{};  // per tally, added to what it counted
  VolumeOccupancy volumes{};
  std::vector<ClaimedResources> claims{};  // that are counted in `used`
};

// When the filters apply: now, or once the terminating pods of all nodes are gone.
enum class FilterTime { Now, AfterTermination };

class NodeFilter {
 public:
  // All three must outlive this object, and the room must not change in that time.
  NodeFilter(ClusterRoom& room, const Pod& pod, const ScheduleTerms& terms,
             FilterTime when = FilterTime::Now);

  // The time of the decision.
  [[nodiscard]] Time decided_at() const { return terms_.now; }

  // Whether pods on other nodes matter to this pod.
  [[nodiscard]] bool looks_around() const { return !tallies_.empty(); }

  // The refusal of the node now, checked both with and without the nominated pods that count.
  [[nodiscard]] Refusal refusal(std::uint32_t node) const;

  // The refusal that no change of the node's pods could lift.
  [[nodiscard]] Refusal permanent_refusal(std::uint32_t node) const;

  // Whether cpu, memory, ephemeral storage and the number of pods alone decide whether the pod fits
  // there, each pod's charge counts by itself, and refusal_by() says all.
  [[nodiscard]] bool needs_figures_alone(std::uint32_t node) const {
    return conflicts_.empty() && others_.empty() && !volumes_ &&
           !room_.figures()[node].has_nominated && !room_.figures()[node].has_claims &&
           !may_be_refused_by_topology(node);
  }
  [[nodiscard]] Refusal refusal_by(const NodeTotals& figures) const;

  // Occupancy without any pod; add() then adds pods one by one.
  [[nodiscard]] Occupancy empty(std::uint32_t node) const;
  void add(Occupancy& to, std::uint32_t node, const RoomHolding& holding) const;
  // Checked both with and without the nominated pods that count. Requires that permanent_refusal()
  // refuses nothing.
  [[nodiscard]] Refusal refusal_beside(std::uint32_t node, const Occupancy& occupancy) const;

  // ---- for a trial: pods come and go, on any node, and the room does not change ----

  // The pod counts as on that node too (sign 1), or no longer (-1), where pods on other nodes
  // matter to this pod.
  void count_also(const RoomHolding& holding, std::uint32_t node, int sign);
  // Occupancy of a node as counted so far; `used`, `pods` and port conflicts are to be filled in.
  [[nodiscard]] Occupancy unchanged() const { return {.changes = no_changes_}; }
  [[nodiscard]] bool needs_ports() const { return !conflicts_.empty(); }
  [[nodiscard]] bool ports_conflict(const RoomHolding& holding) const {
    return conflicts_[holding.kind];
  }

  // Adds the pod itself, as if placed on the node.
  void add_itself(Occupancy& to) const;
  // Whether a pod nominated to the node still has room beside this pod and everything counted in
  // `occupancy`.
  [[nodiscard]] bool leaves_room_for(const RoomHolding& nominated, std::uint32_t node,
                                     const Occupancy& occupancy) const;

  // What must be bound before the pod is bound to the node, which does not refuse it.
  [[nodiscard]] VolumePlan volumes_on(std::uint32_t node) const {
    return volumes_ ? volumes_->plan(node) : VolumePlan{};
  }

  // Upstream's texts for the refusal, in order. `used` is what was used when it was computed.
  [[nodiscard]] std::vector<std::string> reasons(std::uint32_t node, const Refusal& refusal,
                                                 const Resources& used) const;
  // What the node's pods use, including the nominated pods that count.
  [[nodiscard]] Resources used_now(std::uint32_t node) const;
  [[nodiscard]] Resources used_beside(std::uint32_t node, const Occupancy& occupancy) const;

  [[nodiscard]] const Resources& request() const { return request_; }
  [[nodiscard]] const NodeAffinityMatch& match() const { return match_; }
  [[nodiscard]] const ClusterRoom& room() const { return room_; }
  [[nodiscard]] const Pod& pod() const { return pod_; }
  [[nodiscard]] bool tolerates_hard_taints(std::uint32_t node) const {
    return tolerated_->hard[room_.figures()[node].taints];
  }
  // The number of PreferNoSchedule taints that the pod does not tolerate.
  [[nodiscard]] std::int64_t soft_taints(std::uint32_t node) const {
    return tolerated_->soft[room_.figures()[node].taints];
  }

 private:
  struct Spread {
    std::size_t tally = 0;
    std::int64_t max_skew = 1;
    std::int64_t self = 0;  // the pod matches its own selector
    // The two least crowded domains, and the number of domains.
    std::uint32_t least = 0;
    std::int64_t least_count = 0;
    std::int64_t second_count = 0;
    std::int64_t domains = 0;
    std::int64_t min_domains = 1;
  };

  // A request of a resource that few nodes have.
  struct Other {
    std::int64_t amount = 0;
    const ResourceColumn* column = nullptr;
  };

  void prepare_taints(ClusterRoom& room);
  void prepare_host_ports();
  void prepare_others(ClusterRoom& room);
  void prepare_spread();
  void prepare_pod_affinity();
  void prepare_existing_anti_affinity(ClusterRoom& room);
  [[nodiscard]] std::vector<std::uint32_t> kinds_about_all(const std::vector<PodTerm>& terms) const;
  void find_least_domains(Spread& spread) const;
  // Why the pod avoids the node; nullptr: it does not.
  [[nodiscard]] const std::string* why_avoided(std::uint32_t node) const;
  [[nodiscard]] bool counts_as_nominated(const RoomHolding& holding) const;
  [[nodiscard]] Refusal checked(std::uint32_t node, const Occupancy& occupancy) const;
  [[nodiscard]] Refusal by_room(std::uint32_t node, const Resources& used, std::int64_t pods) const;
  [[nodiscard]] Refusal by_figures_and_nominated(std::uint32_t node) const;
  [[nodiscard]] bool has_port_conflict(std::uint32_t node) const;
  void add_others(Refusal& refusal, std::uint32_t node) const;
  [[nodiscard]] Refusal by_topology(std::uint32_t node,
                                    const std::vector<std::int64_t>& changes) const;
  [[nodiscard]] bool may_be_refused_by_topology(std::uint32_t node) const;
  [[nodiscard]] Refusal by_spread(std::uint32_t node,
                                  const std::vector<std::int64_t>& changes) const;
  [[nodiscard]] bool is_near(std::uint32_t node, const std::vector<std::int64_t>& changes) const;

  const ClusterRoom& room_;
  const Pod& pod_;
  const ScheduleTerms& terms_;
  const AvoidedByName* avoided_besides_;
  NodeAffinityMatch match_;
  std::optional<VolumeFilter> volumes_{};  // only for pods with claims
  Resources request_{};
  std::uint32_t reasons_against_all_nodes_ = 0;  // reasons
  bool tolerates_unschedulable_ = false;
  const Tolerated* tolerated_ = nullptr;
  std::vector<Other> others_{};
  std::vector<bool> conflicts_{};  // host ports, by kind; empty: the pod requests none
  std::vector<PodTally> tallies_{};
  std::vector<Spread> spreads_{};
  // The tallies of those terms, [first, last).
  std::size_t near_first_ = 0;
  std::size_t near_last_ = 0;
  std::size_t apart_last_ = 0;
  std::size_t existing_last_ = 0;
  std::int64_t near_anywhere_ = 0;
  bool matches_own_affinity_ = false;
  std::vector<std::int64_t> no_changes_{};
  std::int32_t priority_ = 0;
  std::uint32_t gang_ = 0;  // the pod's, whose other members are placed with it; 0: none
};

}  // namespace elbowroom::policy
