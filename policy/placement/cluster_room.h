// The room of every node of a cluster: what each node has, which pods hold how much of it, and what
// is nominated. It is updated pod by pod and node by node, and is the only input of schedule(),
// which reads everything here without unpacking it.
//
// How a scheduler maintains it: put() every Node, namespace and budget it sees; add() every pod
// that is bound, assumed or nominated (add() ignores pods that hold nothing); remove() the same
// pod, as it was added, before the pod changes or is deleted. When a pod group changes, all its
// pods are removed first, and added with what the group says then. The order of these calls changes
// no decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/importance.h"
#include "policy/model/node.h"
#include "policy/model/placement.h"
#include "policy/model/pod.h"
#include "policy/model/pod_group.h"
#include "policy/model/removal_mark.h"
#include "policy/model/resources.h"
#include "policy/model/rules.h"
#include "policy/model/selector.h"
#include "policy/model/time.h"
#include "policy/model/unit.h"
#include "policy/model/wide_sum.h"
#include "policy/placement/default_spread.h"
#include "policy/placement/image_score.h"
#include "policy/placement/pod_kinds.h"
#include "policy/placement/taint_sets.h"
#include "policy/placement/volume_room.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/pods_by_importance.h"

namespace elbowroom::policy {

// A pod that holds room on a node, or is nominated to it. The members that preemption reads for
// every pod of a cluster come first, to touch as few cache lines as possible.
struct RoomHolding {
  Resources charge{};         // the cluster charge, without `claims`
  std::int32_t priority = 0;  // the one that counts: priority_of() of the pod that was added
  std::uint32_t kind = 0;
  std::uint32_t terms = 0;         // its kind's
  std::optional<Time> deletion{};  // if terminating: the deadline
  bool is_fixed = false;           // static or mirror
  bool is_grouped = false;         // it names a pod group, known or not
  std::uint32_t group = 0;         // the number of its pod group; 0: none that is known
  Qos qos = Qos::BestEffort;
  std::int32_t own_priority = 0;  // whatever its group says
  std::optional<Time> started{};
  std::string key{};  // NAMESPACE/NAME
  std::string uid{};
  bool preempted_by_scheduler = false;  // DisruptionTarget True, PreemptionByScheduler
  std::optional<RemovalMark> mark{};
  bool is_unhealthy = false;               // it runs, and is neither Ready nor terminating
  std::vector<ClaimedResources> claims{};  // shareable_claims() of a bound pod

  [[nodiscard]] bool is_terminating() const { return deletion.has_value(); }
};

[[nodiscard]] inline std::int32_t priority_of(const RoomHolding& holding) {
  return holding.priority;
}
[[nodiscard]] UnitRank rank_of(const RoomHolding& holding);
[[nodiscard]] Importance importance_of(const RoomHolding& holding, RuleSet rules);

// Cpu and memory as scores count them: at least the default minimum of each.
[[nodiscard]] Resources scored_charge(const Resources& charge);

// The figures that the plain filters read, contiguous in memory.
struct NodeTotals {
  std::int64_t cpu = 0;  // allocatable
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t used_cpu = 0;
  std::int64_t used_memory = 0;
  std::int64_t used_ephemeral_storage = 0;
  std::int64_t allowed_pods = 0;
  std::int64_t pods = 0;
  std::int64_t scored_cpu = 0;  // used, as scores count it
  std::int64_t scored_memory = 0;
  std::uint32_t taints = 0;  // number of the taint set
  bool is_known = false;     // its Node object was seen
  bool is_unschedulable = false;
  bool has_nominated = false;
  bool has_host_ports = false;
  bool has_terminating = false;   // some holder is terminating
  bool has_marked = false;        // some holder carries a removal mark
  bool has_whole_groups = false;  // some holder is of a group whose pods are removed as one
  bool has_claims = false;        // some holder has claims that others may share
};

// A pod group, and its pods that hold room. Number 0 is no group.
struct RoomGroup {
  std::string key{};  // NAMESPACE/NAME
  GroupStanding standing{};
  std::map<std::string, std::uint32_t, std::less<>> members{};  // node by pod, NAMESPACE/NAME
  std::size_t pods = 0;  // of the group, nominated ones included; 0: the number is unused

  // Its pods are removed as one.
  [[nodiscard]] bool is_whole() const {
    return standing.mode == DisruptionMode::All && !standing.is_unclear();
  }
};

struct NodeRoom {
  std::string name{};
  Node node{};                      // without its images
  Resources used{};                 // by the holders
  Blocks<RoomHolding> holders{};    // most important first
  Blocks<RoomHolding> nominated{};  // most important first

  // The sums behind `used` and the figures. Adding a pod costs the same however many there are.
  WideSum sum{};
  WideSum scored{};
  std::size_t with_host_ports = 0;
  std::size_t terminating = 0;
  std::size_t marked = 0;
  std::size_t of_whole_groups = 0;
  // What each holder takes of a claim, by claim. Of several the node is charged once.
  std::map<std::string, std::vector<Resources>, std::less<>> claims{};
};

// The present state of a budget of either kind. Without a name the number is unused.
struct BudgetRoom {
  std::string ns{};
  std::string name{};
  bool is_ours = false;  // a DisruptionBudget
  bool is_hard = false;
  std::optional<LabelSelector> selector{};
  std::set<std::string, std::less<>> disrupted_pods{};  // names
  std::set<std::string, std::less<>> debited{};         // uids
  std::int64_t allowed = 0;
  bool spares_unhealthy = false;  // is_unhealthy holders are not charged
};

// The values of one label on all nodes, by number; 0 where a node does not have the label.
struct LabelColumn {
  std::vector<std::uint32_t> value_of_node{};  // by the node's number
  std::vector<std::string> values{};           // by number; the first one is ""
  std::map<std::string, std::uint32_t, std::less<>> numbers{};
};

// The amounts of one resource that few nodes have, by the node's number.
struct ResourceColumn {
  std::vector<std::int64_t> allocatable{};
  std::vector<std::int64_t> used{};  // by the holders
};

class ClusterRoom {
 public:
  explicit ClusterRoom(RuleSet rules = RuleSet::Elbowroom) : rules_(rules) {}

  [[nodiscard]] RuleSet rules() const { return rules_; }

  void put(const Node& node);
  void remove_node(std::string_view name);

  // Adds a pod that is bound and holds room, or is pending and nominated. Ignores other pods.
  void add(const Pod& pod);
  // Removes the pod as it was added. Does nothing if add() ignored it.
  void remove(const Pod& pod);

  // A pod of the same kind as others is not added, but asked about: its kind is known from then on
  // until it is let go of.
  std::uint32_t hold_kind(const Pod& pod);
  void let_go_of_kind(std::uint32_t kind) { kinds_.let_go(kind); }
  // The pod as the room would keep it.
  [[nodiscard]] RoomHolding holding_of(const Pod& pod, std::uint32_t kind) const;

  // The budget's present state; `strength` is that of a DisruptionBudget beside the Pods that are
  // about to be removed.
  void put(const PodDisruptionBudget& budget);
  void put(const DisruptionBudget& budget, const Strength& strength, Time now);
  void remove_pod_disruption_budget(std::string_view ns, std::string_view name);
  void remove_disruption_budget(std::string_view ns, std::string_view name);

  // A namespace that was never put has only the label kubernetes.io/metadata.name.
  void put_namespace(std::string_view name, Labels labels);
  void remove_namespace(std::string_view name);

  // What is known of claims and volumes is put there; add() and remove() say which pods use them.
  [[nodiscard]] VolumeRoom& volumes() { return volumes_; }
  [[nodiscard]] const VolumeRoom& volumes() const { return volumes_; }

  // ---- read by decisions; nodes, kinds, sets and budgets are identified by number ----

  [[nodiscard]] const std::vector<NodeTotals>& figures() const { return figures_; }
  [[nodiscard]] const std::vector<NodeRoom>& nodes() const { return nodes_; }
  // The nodes whose object was seen, by name.
  [[nodiscard]] std::vector<std::uint32_t> node_numbers() const;
  [[nodiscard]] std::size_t known_nodes() const { return known_nodes_; }
  [[nodiscard]] std::optional<std::uint32_t> find_node(std::string_view name) const;
  [[nodiscard]] const PodKinds& kinds() const { return kinds_; }
  // The kinds that the term is about, by number.
  [[nodiscard]] std::vector<std::uint32_t> kinds_about(const PodTerm& term) const;
  [[nodiscard]] const std::vector<BudgetRoom>& budgets() const { return budgets_; }
  [[nodiscard]] bool has_budgets() const { return budgets_.size() > free_budgets_.size(); }
  [[nodiscard]] const std::vector<RoomGroup>& groups() const { return groups_; }
  // The number of the group of that name; 0: none of its pods is here.
  [[nodiscard]] std::uint32_t find_group(std::string_view key) const;
  [[nodiscard]] bool matches_namespace(const LabelSelector& selector, std::string_view name) const;
  // Whether some node prefers to avoid the pods of that controller, or did so until a time.
  [[nodiscard]] bool is_avoided_somewhere(std::string_view controller) const;
  [[nodiscard]] const ImageIndex& images() const { return images_; }
  // The objects that say which pods belong together; its owner brings it up to what it sees.
  [[nodiscard]] SelectingIndex& selecting() { return selecting_; }
  [[nodiscard]] const SelectingIndex& selecting() const { return selecting_; }

  // Built on first use, and kept until forget_columns() finds more than that many.
  const LabelColumn& column(std::string_view label);
  const ResourceColumn& resource_column(std::string_view resource);
  const Tolerated& tolerated_by(const std::vector<Toleration>& tolerations) {
    return taints_.tolerated_by(tolerations);
  }
  void forget_columns(std::size_t above);

 private:
  std::uint32_t node_number(std::string_view name);
  std::uint32_t group_number(const Pod& pod);
  void release_group(std::uint32_t number);
  void put_budget(BudgetRoom budget);
  void remove_budget(bool is_ours, std::string_view ns, std::string_view name);
  // The budget covers what it selects, or no more.
  void cover(std::uint32_t budget, bool covers);
  [[nodiscard]] bool comes_first(std::uint32_t a, std::uint32_t b) const;
  void match_budgets(std::uint32_t kind, std::string_view ns);
  // Adds or subtracts what the holder contributes to its node.
  void count(std::uint32_t number, const RoomHolding& holder, bool comes);
  void show(std::uint32_t number);
  void drop_if_empty(std::uint32_t number);

  RuleSet rules_;
  std::vector<NodeTotals> figures_{};
  std::vector<NodeRoom> nodes_{};
  std::map<std::string, std::uint32_t, std::less<>> node_numbers_{};
  std::vector<std::uint32_t> free_nodes_{};
  std::size_t known_nodes_ = 0;
  std::map<std::string, std::size_t, std::less<>> avoided_{};  // nodes by controller
  ImageIndex images_{};
  SelectingIndex selecting_{};

  PodKinds kinds_{};

  std::vector<RoomGroup> groups_{{}};
  std::map<std::string, std::uint32_t, std::less<>> group_numbers_{};  // by key
  std::vector<std::uint32_t> free_groups_{};

  TaintSets taints_{};
  std::vector<BudgetRoom> budgets_{};
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> budgets_in_{};  // in order
  std::vector<std::uint32_t> free_budgets_{};
  std::map<std::string, Labels, std::less<>> namespaces_{};
  std::map<std::string, LabelColumn, std::less<>> columns_{};
  std::map<std::string, ResourceColumn, std::less<>> resource_columns_{};
  VolumeRoom volumes_{};
};

}  // namespace elbowroom::policy
