// The room of every node of a cluster: what each one has, who holds how much of it, and what is
// promised. It is kept up to date pod by pod and node by node, holds all that placing a pod looks
// at in a form that needs no unpacking, and is the only thing that schedule() looks at.
//
// How a scheduler keeps it: put() every Node, namespace and budget it hears of, add() every pod
// that is bound, assumed or nominated (add() passes over those that hold nothing), and remove() the
// same pod, as it was added, before it changes or goes. The order of these calls changes no
// decision.
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
#include "policy/model/removal_mark.h"
#include "policy/model/resources.h"
#include "policy/model/rules.h"
#include "policy/model/selector.h"
#include "policy/model/time.h"
#include "policy/model/wide_sum.h"
#include "policy/preemption/pods_by_importance.h"

namespace elbowroom::policy {

// What pods that are made from one template have in common, as other pods see them.
struct PodKind {
  std::string ns{};
  Labels labels{};
  std::vector<PodTerm> required_near{};
  std::vector<PodTerm> required_apart{};
  std::vector<PreferredPods> preferred_near{};
  std::vector<PreferredPods> preferred_apart{};
  std::vector<HostPort> host_ports{};
  std::vector<std::uint32_t> budgets{};  // that cover it, by number, in the order of charging
  std::size_t pods = 0;                  // of this kind; 0: the number is free

  [[nodiscard]] bool has_terms() const {
    return !required_near.empty() || !required_apart.empty() || !preferred_near.empty() ||
           !preferred_apart.empty();
  }
};

// A pod that holds room on a node, or was promised some. What is asked of every pod of a cluster
// when somebody has to go stands first, in as few lines of the processor's cache as may be.
struct RoomHolding {
  Resources charge{};  // the cluster charge
  std::int32_t priority = 0;
  std::uint32_t kind = 0;
  std::optional<Time> deletion{};  // terminating: the deadline
  bool is_fixed = false;           // static or mirror
  bool is_grouped = false;         // a member of a pod group
  Qos qos = Qos::BestEffort;
  std::optional<Time> started{};
  std::string key{};  // NAMESPACE/NAME
  std::string uid{};
  bool preempted_by_scheduler = false;  // DisruptionTarget True, PreemptionByScheduler
  std::optional<RemovalMark> mark{};

  [[nodiscard]] bool is_terminating() const { return deletion.has_value(); }
};

[[nodiscard]] Importance importance_of(const RoomHolding& holding, RuleSet rules);

// Cpu and memory as scores count them: at least a little of each.
[[nodiscard]] Resources scored_charge(const Resources& charge);

// What the plain filters look at, one after the other in memory.
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
  std::uint32_t taints = 0;  // number of the set of taints
  bool is_known = false;     // its Node object was seen
  bool is_unschedulable = false;
  bool has_nominated = false;
  bool has_host_ports = false;
  bool has_terminating = false;  // some holder is
  bool has_marked = false;       // some holder carries a mark of a removal
};

struct NodeRoom {
  std::string name{};
  Node node{};
  Resources used{};                 // by the holders
  Blocks<RoomHolding> holders{};    // most important first
  Blocks<RoomHolding> nominated{};  // most important first

  // What `used` and the figures are made of, so that one more pod costs the same however many there
  // are.
  WideSum sum{};
  WideSum scored{};
  std::size_t with_host_ports = 0;
  std::size_t terminating = 0;
  std::size_t marked = 0;
};

// A budget as it stands, of either sort.
struct BudgetRoom {
  std::string ns{};
  std::string name{};
  bool is_ours = false;  // a DisruptionBudget
  bool is_hard = false;
  std::optional<LabelSelector> selector{};
  std::set<std::string, std::less<>> disrupted_pods{};
  std::int64_t allowed = 0;
};

// The values that one label has on the nodes, by number; 0 where a node has none.
struct LabelColumn {
  std::vector<std::uint32_t> value_of_node{};  // by the node's number
  std::vector<std::string> values{};           // by number; the first one is ""
  std::map<std::string, std::uint32_t, std::less<>> numbers{};
};

class ClusterRoom {
 public:
  explicit ClusterRoom(RuleSet rules = RuleSet::Elbowroom) : rules_(rules) {}

  [[nodiscard]] RuleSet rules() const { return rules_; }

  void put(const Node& node);
  void remove_node(std::string_view name);

  // A pod that is bound and holds room, or that is pending and nominated; others are passed over.
  void add(const Pod& pod);
  // The pod as it was added; nothing happens where it was passed over.
  void remove(const Pod& pod);

  // As it stands now: what it allows is given, in the second case as allowed_now() says.
  void put(const PodDisruptionBudget& budget);
  void put(const DisruptionBudget& budget, std::int64_t allowed);
  void remove_pod_disruption_budget(std::string_view ns, std::string_view name);
  void remove_disruption_budget(std::string_view ns, std::string_view name);

  // A namespace that was never put has the label kubernetes.io/metadata.name alone.
  void put_namespace(std::string_view name, Labels labels);
  void remove_namespace(std::string_view name);

  // ---- what decisions read; nodes, kinds, sets and budgets are known by number ----

  [[nodiscard]] const std::vector<NodeTotals>& figures() const { return figures_; }
  [[nodiscard]] const std::vector<NodeRoom>& nodes() const { return nodes_; }
  // The nodes whose object is known, by name.
  [[nodiscard]] std::vector<std::uint32_t> node_numbers() const;
  [[nodiscard]] std::size_t known_nodes() const { return known_nodes_; }
  [[nodiscard]] std::optional<std::uint32_t> find_node(std::string_view name) const;
  [[nodiscard]] const std::vector<PodKind>& kinds() const { return kinds_; }
  // The kinds that have terms about other pods.
  [[nodiscard]] const std::set<std::uint32_t>& kinds_with_terms() const {
    return kinds_with_terms_;
  }
  [[nodiscard]] const std::vector<std::vector<Taint>>& taint_sets() const { return taint_sets_; }
  [[nodiscard]] const std::vector<BudgetRoom>& budgets() const { return budgets_; }
  [[nodiscard]] Labels namespace_labels(std::string_view name) const;
  // Controllers whose pods some node would rather not have.
  [[nodiscard]] bool is_avoided_somewhere(std::string_view controller) const;

  // Made when it is first asked for, and kept until forget_columns() finds more than that many.
  const LabelColumn& column(std::string_view label);
  void forget_columns(std::size_t above);

 private:
  std::uint32_t node_number(std::string_view name);
  std::uint32_t kind_number(const Pod& pod);
  void release_kind(const Pod& pod, std::uint32_t number);
  std::uint32_t taints_number(const std::vector<Taint>& taints);
  void put_budget(BudgetRoom budget);
  void remove_budget(bool is_ours, std::string_view ns, std::string_view name);
  void match_budgets(PodKind& kind) const;
  // What the holder adds to its node, which it is put on or taken from.
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

  std::vector<PodKind> kinds_{};
  std::map<std::string, std::uint32_t, std::less<>> kind_numbers_{};
  std::vector<std::uint32_t> free_kinds_{};
  std::set<std::uint32_t> kinds_with_terms_{};

  std::vector<std::vector<Taint>> taint_sets_{{}};
  std::vector<BudgetRoom> budgets_{};
  std::map<std::string, Labels, std::less<>> namespaces_{};
  std::map<std::string, LabelColumn, std::less<>> columns_{};
};

}  // namespace elbowroom::policy
