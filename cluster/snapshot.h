// The cluster as a scheduler sees it: nodes, the pods that hold room or were promised some, and
// disruption budgets. Pods lie packed, by node; an event costs what it touches, and only the node
// that is judged is unpacked.
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

#include "cluster/change.h"
#include "cluster/label_index.h"
#include "cluster/packed_pod.h"
#include "policy/model/budget.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::cluster {

// One node with everything on it, unpacked: what policy::NodeMoment is made of.
struct NodeView {
  policy::Node node{};
  std::vector<policy::Pod> pods{};       // by key
  std::vector<policy::Pod> nominated{};  // pending pods, by key
  policy::Budgets budgets{};             // those of the namespaces of `pods`
  // Why it is not known what its pods hold: two of them cannot be told apart, or one not understood
  // at all. "" when it is.
  std::string contradiction{};
};

// "pods A and B have the same uid U", for two keys in whatever order: how every program tells that
// it cannot tell them apart.
[[nodiscard]] std::string of_one_uid(std::string_view one, std::string_view other,
                                     std::string_view uid);

// What became of one pod by one event; neither before nor after: nothing that anybody looks at.
struct PodEvent {
  std::string node{};  // that is concerned: its own, or that it was nominated to; "": none
  std::optional<policy::Pod> before{};
  std::optional<policy::Pod> after{};
  std::optional<policy::Pod> ended{};  // as it was shown, where it is kept no more
  Changes changes{};
  // Names of the DisruptionBudgets of its namespace that cover another number of pods now, or of
  // healthy ones.
  std::vector<std::string> own_budgets{};
};

class Snapshot {
 public:
  using Names = std::set<std::string, std::less<>>;

  Snapshot() = default;
  // Keeps the pending pods of these schedulers, too.
  explicit Snapshot(Names places) : places_for_(std::move(places)) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // A pod that was added or changed. Finished pods are not kept, and of pending ones only those
  // that are nominated to a node or are to be placed. Requires that it replaces no other one (see
  // replaces_another).
  PodEvent put(PackedPod packed);

  // The name belongs to another uid by now, or its room is on another node than it was: the earlier
  // one is to be removed first, so that both nodes' changes are told.
  [[nodiscard]] bool replaces_another(const PackedPod& packed) const;

  // That pod is gone; nothing happens when the name belongs to another uid by now ("" is any).
  PodEvent remove_pod(std::string_view key, std::string_view uid);

  // The keys of all pods, sorted.
  [[nodiscard]] std::vector<std::string> pod_keys() const;
  [[nodiscard]] std::size_t pods() const { return places_.size(); }
  [[nodiscard]] std::optional<policy::Pod> pod(std::string_view key) const;

  // A pod of that node is there, and nobody knows what it holds: it cannot be understood. It is
  // forgotten by name alone. Both give the node on which it was known to be; "" for none.
  std::string put_unreadable(const std::string& key, const std::string& node, std::string_view why);
  std::string forget_unreadable(std::string_view key);
  // Their keys, sorted.
  [[nodiscard]] std::vector<std::string> unreadable_keys() const;
  [[nodiscard]] std::size_t unreadable() const { return unreadable_.size(); }
  // The nodes that hold some of them, each with a word about it.
  [[nodiscard]] std::map<std::string, std::string, std::less<>> unclear_nodes() const;

  Changes put(policy::Node node);
  Changes remove_node(std::string_view name);
  [[nodiscard]] std::vector<std::string> node_names() const;
  // Those of which a Node object, a pod or a nomination is known.
  [[nodiscard]] std::size_t nodes() const {
    return nodes_.size() - static_cast<std::size_t>(nodes_.contains(kNowhere));
  }
  [[nodiscard]] const policy::Node* node(std::string_view name) const;

  // The budget as it was before, if it was there.
  std::optional<policy::PodDisruptionBudget> put(policy::PodDisruptionBudget budget);
  std::optional<policy::PodDisruptionBudget> remove_budget(std::string_view ns,
                                                           std::string_view name);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> budget_names() const;

  // The same of our own DisruptionBudgets; a first one costs a look at all pods of its namespace.
  std::optional<policy::DisruptionBudget> put(policy::DisruptionBudget budget);
  std::optional<policy::DisruptionBudget> remove_own_budget(std::string_view ns,
                                                            std::string_view name);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> own_budget_names() const;
  [[nodiscard]] const policy::DisruptionBudget* own_budget(std::string_view ns,
                                                           std::string_view name) const;

  // Those of a namespace as they stand, with what was debited.
  [[nodiscard]] policy::Budgets budgets_of(std::string_view ns) const;

  // The nodes that hold pods of that namespace, by name.
  [[nodiscard]] std::vector<std::string> nodes_of(std::string_view ns) const {
    return labels_.nodes_of(ns);
  }
  // Those of them that hold pods which a budget of that namespace covers: label_index.h.
  void each_covered(std::string_view ns, const std::optional<policy::LabelSelector>& selector,
                    const LabelIndex::Use& use) const {
    labels_.each_covered(ns, selector, use);
  }

  // A covered pod was asked to go and the budgets' owners have not counted it yet: until a
  // PodDisruptionBudget allows less, or the pod is gone, it allows one less here; for the rate of
  // our own it is a recent disruption until its status says so or the time is over.
  void debit_budgets(const policy::Pod& victim, policy::Time now);
  // It was not taken to go after all. Whether any budget had been debited.
  bool undebit_budgets(const std::string& ns, const std::string& uid);

  // Everything on a node whose Node object is known.
  [[nodiscard]] std::optional<NodeView> view(std::string_view node) const;

  // The pods bound to the node, whether its Node object is known or not.
  [[nodiscard]] std::vector<policy::Pod> pods_of(std::string_view node) const;

 private:
  using Packed = std::map<std::string, PackedPod, std::less<>>;  // by key
  struct Entry {
    std::optional<policy::Node> node{};
    Packed pods{};
    Packed nominated{};
    std::map<std::string, std::string, std::less<>> unreadable{};  // why, by key
  };
  using Nodes = std::map<std::string, Entry, std::less<>>;  // by name
  // Where a pod lies, so that an event need not look for it twice.
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
    std::map<std::string, std::string> debits{};  // uids of pods that go, by key
  };
  using Budgets = std::map<std::string, Budget, std::less<>>;  // by name
  struct OwnBudget {
    policy::DisruptionBudget seen{};
    policy::Strength strength{};
    std::vector<policy::RecentDisruption> debits{};  // that its status does not have yet
  };
  using OwnBudgets = std::map<std::string, OwnBudget, std::less<>>;  // by name

  // Under this name are those that are pending without a nomination.
  static constexpr std::string_view kNowhere{};

  using Places = std::unordered_map<std::string, Place, KeyHash, std::equal_to<>>;  // by pod key

  [[nodiscard]] bool is_kept(const policy::Pod& pod) const;
  void put_in(PackedPod packed, const policy::Pod& pod);
  void take_out(Places::iterator place);
  [[nodiscard]] const PackedPod* find(std::string_view key) const;
  void drop_if_empty(Nodes::iterator node);
  [[nodiscard]] std::vector<std::string> recount(const policy::Pod* before,
                                                 const policy::Pod* after);
  template <class Use>
  void each_pod_of(std::string_view ns, const Entry& entry, Use use) const;
  [[nodiscard]] policy::Strength scheduler_status_of(const OwnBudget& budget) const;
  void add_budgets_of(std::string_view ns, policy::Budgets& to) const;

  Names places_for_{};
  Nodes nodes_{};
  Places places_{};
  std::map<std::string, Nodes::iterator, std::less<>> unreadable_{};  // by key
  std::map<std::string, Budgets, std::less<>> budgets_{};             // by namespace
  std::map<std::string, OwnBudgets, std::less<>> own_budgets_{};      // by namespace
  LabelIndex labels_{};                                               // of those that are bound
};

}  // namespace elbowroom::cluster
