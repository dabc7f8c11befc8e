// The cluster as a scheduler sees it: nodes, the pods that hold room or are nominated, pod groups,
// and disruption budgets. Pods are stored packed, by node. An event costs only what it touches, and
// only the node under evaluation is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/budget_index.h"
#include "cluster/change.h"
#include "cluster/kept_pods.h"
#include "cluster/label_index.h"
#include "cluster/packed_pod.h"
#include "cluster/pod_groups.h"
#include "policy/model/budget.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::cluster {

// One node with everything on it, unpacked: the source of a policy::NodeMoment.
struct NodeView {
  policy::Node node{};
  SharedPods pods{};                     // by key
  std::vector<policy::Pod> nominated{};  // pending pods, by key
  policy::Budgets budgets{};             // those of the namespaces of `pods`
  // The pods on other nodes of the groups that are removed as a whole and have pods among `pods`.
  std::vector<policy::Pod> elsewhere{};
  // Why it is unknown what the node's pods hold: two of them cannot be distinguished, or one is
  // unreadable. "" when it is known.
  std::string contradiction{};
};

// "pods A and B have the same uid U", for two keys in either order. Every program reports two pods
// that it cannot distinguish with this text.
[[nodiscard]] std::string same_uid_message(std::string_view one, std::string_view other,
                                           std::string_view uid);

// What one event changed about one pod. Neither before nor after: nothing but own_budgets.
struct PodEvent {
  std::string ns{};
  std::string node{};  // the node concerned: its own, or the nominated one; "": none
  std::optional<policy::Pod> before{};
  std::optional<policy::Pod> after{};
  std::optional<policy::Pod> ended{};  // as last seen, where it is no longer kept
  Changes changes{};
  // Names of the DisruptionBudgets of its namespace that now expect another number of pods, or of
  // healthy ones. Pods that are not kept count, too.
  std::vector<std::string> own_budgets{};
};

// What one event changed about one pod group.
struct GroupEvent {
  std::optional<policy::PodGroup> before{};
  std::optional<policy::PodGroup> after{};
};

class Snapshot {
 public:
  // A pod that a budget of its namespace was debited for.
  struct Debit {
    bool is_ours = false;  // a DisruptionBudget; else a PodDisruptionBudget
    std::string ns{};
    std::string budget{};
    std::string uid{};

    friend auto operator<=>(const Debit&, const Debit&) = default;
  };
  using Debits = std::set<Debit>;

  using Names = std::set<std::string, std::less<>>;

  Snapshot() = default;
  // Also keeps the pending pods of these schedulers.
  explicit Snapshot(Names places) : places_for_(std::move(places)) {}
  Snapshot(const Snapshot& other);
  Snapshot& operator=(const Snapshot&) = delete;
  Snapshot(Snapshot&&) = default;
  Snapshot& operator=(Snapshot&&) = delete;
  ~Snapshot() = default;

  // A pod was added or changed. Finished pods are not kept. Pending pods are kept only if they are
  // nominated to a node or are to be placed; of others only that budgets expect them. Requires that
  // it replaces no other pod (see replaces_another).
  PodEvent put(PackedPod packed);

  // The name now belongs to another uid, or the pod's room is now on another node. Remove the
  // earlier pod first, so that the changes of both nodes are reported.
  [[nodiscard]] bool replaces_another(const PackedPod& packed) const;

  // A pod was deleted. Does nothing if the name now belongs to another uid ("" matches any).
  PodEvent remove_pod(std::string_view key, std::string_view uid);

  // The keys of all pods that are kept, sorted; with the pending ones that are not, too.
  [[nodiscard]] std::vector<std::string> pod_keys() const;
  [[nodiscard]] std::vector<std::string> seen_keys() const;
  [[nodiscard]] std::size_t pods() const { return places_.size(); }
  [[nodiscard]] std::optional<policy::Pod> pod(std::string_view key) const;

  // Records a pod of that node that is unreadable, so that it is unknown what it holds. It is
  // forgotten by name alone. Both return the node on which it was known before; "" for none.
  std::string put_unreadable(const std::string& key, const std::string& node, std::string_view why);
  std::string forget_unreadable(std::string_view key);
  // The keys of the unreadable pods, sorted.
  [[nodiscard]] std::vector<std::string> unreadable_keys() const;
  [[nodiscard]] std::size_t unreadable() const { return unreadable_.size(); }
  // The nodes that hold unreadable pods, each with a message.
  [[nodiscard]] std::map<std::string, std::string, std::less<>> unclear_nodes() const;

  // A pod group was added, changed or deleted (not if the name now belongs to another uid; ""
  // matches any). What its pods say changes with it: see members_of().
  GroupEvent put(policy::PodGroup group);
  GroupEvent remove_group(std::string_view key, std::string_view uid);
  [[nodiscard]] const PodGroups& groups() const { return groups_; }
  // The kept pods that name that group, as they are now, by key.
  [[nodiscard]] std::vector<policy::Pod> members_of(std::string_view group) const;

  Changes put(policy::Node node);
  Changes remove_node(std::string_view name);
  [[nodiscard]] std::vector<std::string> node_names() const;
  // The nodes of which a Node object, a pod or a nomination is known.
  [[nodiscard]] std::size_t nodes() const {
    return nodes_.size() - static_cast<std::size_t>(nodes_.contains(kNowhere));
  }
  [[nodiscard]] const policy::Node* node(std::string_view name) const;

  // Returns the previous state of the budget, if any.
  std::optional<policy::PodDisruptionBudget> put(policy::PodDisruptionBudget budget);
  std::optional<policy::PodDisruptionBudget> remove_budget(std::string_view ns,
                                                           std::string_view name);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> budget_names() const;

  // The same for our own DisruptionBudgets. Adding one scans the nodes of the pods that it covers.
  std::optional<policy::DisruptionBudget> put(policy::DisruptionBudget budget);
  std::optional<policy::DisruptionBudget> remove_own_budget(std::string_view ns,
                                                            std::string_view name);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> own_budget_names() const;
  [[nodiscard]] const policy::DisruptionBudget* own_budget(std::string_view ns,
                                                           std::string_view name) const;

  // The present budgets of a namespace, including debits. `now`: by the API server's clock; without
  // it every entry of a ledger counts.
  [[nodiscard]] policy::Budgets budgets_of(std::string_view ns, policy::Time now = {}) const;

  // One PodDisruptionBudget as budgets_of() returns it.
  [[nodiscard]] std::optional<policy::PodDisruptionBudget> budget(std::string_view ns,
                                                                  std::string_view name) const;

  // The uids that count as entered in the ledger of our own budget: by its status or by a debit
  // here. Empty where it is not known.
  [[nodiscard]] std::set<std::string> entered_in(std::string_view ns, std::string_view name) const;
  // Our DisruptionBudgets that cover the pod, by name; valid until one changes.
  [[nodiscard]] std::vector<const policy::DisruptionBudget*> own_budgets_over(
      const policy::Pod& pod) const;
  // Of all pods that it covers, without debits. Requires that it is known.
  [[nodiscard]] policy::Strength strength_over(const policy::DisruptionBudget& budget) const;
  // The pods of that namespace that the entries name, as far as they exist.
  [[nodiscard]] std::vector<policy::Pod> named_by(const policy::Ledger& ledger,
                                                  std::string_view ns) const;

  // The nodes that hold pods of that namespace, by name.
  [[nodiscard]] std::vector<std::string> nodes_of(std::string_view ns) const {
    return labels_.nodes_of(ns);
  }
  // The nodes that hold pods covered by a budget of that namespace; see label_index.h. It looks at
  // each of the label_sets() of the namespace.
  void each_covered(std::string_view ns, const std::optional<policy::LabelSelector>& selector,
                    const LabelIndex::Use& use) const {
    labels_.each_covered(ns, selector, use);
  }
  [[nodiscard]] std::size_t label_sets(std::string_view ns) const { return labels_.sets(ns); }
  // True if the node holds such a pod. It looks at the node's pods of the namespace.
  [[nodiscard]] bool holds_covered(std::string_view node, std::string_view ns,
                                   const std::optional<policy::LabelSelector>& selector) const;

  // A covered pod was deleted, and the budgets' controllers have not counted it yet. A
  // PodDisruptionBudget allows one less here until its status allows less or the pod is gone. For
  // the rate of our own budgets it is a recent disruption until the status includes it or the time
  // is over. The pod itself is charged as any other that is to be removed. Returns the debits that
  // are new.
  Debits debit_budgets(const policy::Pod& victim, policy::Time now);
  // From now on, budgets are as they would be without these debits, in a ledger or not.
  void leave_out(Debits debits) { left_out_ = std::move(debits); }
  // True if a PodDisruptionBudget has been debited for a pod of that key, which may be gone.
  [[nodiscard]] bool is_debited(const std::string& pod) const;
  // Undoes a debit because the pod was not deleted after all. True if any budget had been debited.
  bool undebit_budgets(const std::string& ns, const std::string& uid);

  // Everything on a node whose Node object is known. `now`: as of budgets_of(). What it unpacks is
  // kept: not for several threads at a time.
  [[nodiscard]] std::optional<NodeView> view(std::string_view node, policy::Time now = {}) const;

  // The pods bound to the node, whether or not its Node object is known.
  [[nodiscard]] std::vector<policy::Pod> pods_of(std::string_view node) const;

 private:
  using Packed = std::map<std::string, PackedPod, std::less<>>;  // by key
  struct Entry {
    std::optional<policy::Node> node{};
    Packed pods{};
    Packed nominated{};
    std::map<std::string, std::string, std::less<>> unreadable{};  // message by key
  };
  using Nodes = std::map<std::string, Entry, std::less<>>;  // by name
  // Where a pod is stored, so that an event looks it up only once.
  struct Place {
    Nodes::iterator node{};
    Packed::iterator pod{};
    bool nominated = false;
  };
  struct KeyHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  struct Budget {
    policy::PodDisruptionBudget seen{};
    std::map<std::string, std::string> debits{};  // uids of deleted victims, by key
  };
  using Budgets = std::map<std::string, Budget, std::less<>>;  // by name
  struct OwnBudget {
    policy::DisruptionBudget seen{};
    policy::Strength strength{};
    policy::Ledger debits{};  // not yet in its status
  };
  using OwnBudgets = std::map<std::string, OwnBudget, std::less<>>;  // by name
  // By namespace.
  using BudgetIndexes = std::map<std::string, BudgetIndex, std::less<>>;

  // Pending pods without a nomination are stored under this name.
  static constexpr std::string_view kNowhere{};

  // A pod that waits for a node.
  struct Awaited {
    std::string uid{};
    policy::Labels labels{};
  };

  using Places = std::unordered_map<std::string, Place, KeyHash, std::equal_to<>>;  // by pod key

  [[nodiscard]] bool is_kept(const policy::Pod& pod) const;
  // With what its group says.
  [[nodiscard]] policy::Pod unpacked(const PackedPod& packed) const;
  void add_elsewhere(std::string_view node, NodeView& to) const;
  void forget_members_of(std::string_view group);
  void put_in(PackedPod packed, const policy::Pod& pod);
  void take_out(Places::iterator place, const policy::Pod& pod);
  [[nodiscard]] const PackedPod* find(std::string_view key) const;
  void drop_if_empty(Nodes::iterator node);
  // As budgets expect it; none: no pod of that name waits for a node.
  [[nodiscard]] std::optional<policy::Pod> awaited(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> recount(const policy::Pod* before,
                                                 const policy::Pod* after);
  template <class Use>
  void each_pod_of(std::string_view ns, const Entry& entry, Use use) const;
  // Whether unhealthy pods are not charged to it, beside what is debited.
  [[nodiscard]] bool spares_unhealthy(const OwnBudget& budget, policy::Time now) const;
  void add_own_budget(const OwnBudget& budget, policy::Time now, policy::Budgets& to) const;
  void add_budgets_of(std::string_view ns, policy::Time now, policy::Budgets& to) const;
  // With its debits.
  [[nodiscard]] policy::PodDisruptionBudget left_of(const Budget& budget) const;
  // Without what is left out.
  [[nodiscard]] policy::Ledger counted(const policy::Ledger& ledger, const std::string& ns,
                                       const std::string& name) const;

  Names places_for_{};
  Nodes nodes_{};
  Places places_{};
  std::map<std::string, Nodes::iterator, std::less<>> unreadable_{};  // by key
  std::map<std::string, Budgets, std::less<>> budgets_{};             // by namespace
  std::map<std::string, OwnBudgets, std::less<>> own_budgets_{};      // by namespace
  BudgetIndexes own_index_{};
  std::map<std::string, Awaited, std::less<>> awaited_{};  // by key
  Debits left_out_{};
  LabelIndex labels_{};  // of the bound pods
  PodGroups groups_{};
  mutable KeptPods kept_pods_{};  // as pods_of() would return them
};

}  // namespace elbowroom::cluster
