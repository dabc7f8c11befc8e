// The cluster as the scheduler knows it: what the watches show, and what it has assumed beyond
// that. Bindings and nominations are assumed until the watch shows them; a victim whose delete was
// accepted counts as terminating before the watch shows it so. Every change returns what it changed
// for waiting pods; nothing is called back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "control/deadline_queue.h"
#include "policy/model/rules.h"
#include "policy/placement/cluster_room.h"
#include "policy/placement/want.h"
#include "scheduler/observation.h"
#include "scheduler/placing/assume_cache.h"
#include "scheduler/placing/avoided_nodes.h"
#include "scheduler/placing/group_classes.h"
#include "scheduler/placing/pending_status.h"
#include "scheduler/removal/refused_removals.h"
#include "scheduler/resizing/room_deadlines.h"

namespace elbowroom::scheduler {

// Something changed on that node, or for pods that wait for any node ("").
struct NodeChange {
  std::string node{};
  cluster::Changes what{};
  bool is_new_node = false;      // the Node was not there before
  bool forbids_nothing = false;  // of a budget: it never keeps a pod from being removed
};

// What the change may bring to pods that no node admits.
[[nodiscard]] policy::Reliefs brought_by(const NodeChange& change);

// The time of an observation, and the API server's time then.
struct Clocks {
  Moment now{};
  policy::Time server{};
  [[nodiscard]] std::chrono::milliseconds since_start() const { return now.since_start; }
};

class ClusterState {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock
  using Names = std::set<std::string, std::less<>>;

  // `places_for`: the schedulers whose pending pods are ours to place; empty: none are.
  ClusterState(const Names& places_for, policy::RuleSet rules)
      : places_(!places_for.empty()), snapshot_(places_for), room_(rules) {}

  // ---- which collections are followed ----
  void listed(Collection of);
  void lost(Collection of, std::string why);
  void back(Collection of);
  [[nodiscard]] bool is_synced() const;
  [[nodiscard]] bool is_following() const { return is_synced() && lost_.empty(); }
  // Why the first of the lost ones is not followed; "": none is lost. Those that only pods with
  // claims depend on do not count here.
  [[nodiscard]] std::string lost() const;
  // Why no pod with claims can be placed now; "": its claims and volumes are all followed.
  [[nodiscard]] std::string volumes_obstacle() const;

  // ---- what the watches show ----
  NodeChange put(policy::Node node);
  NodeChange remove_node(std::string_view name);
  // How often a node so far came, went, or changed what pods it takes: labels, taints, whether it
  // is schedulable, allocatable.
  [[nodiscard]] std::uint64_t node_changes() const { return node_changes_; }
  // A pod event of the snapshot; apply() must follow.
  [[nodiscard]] cluster::PodEvent put(cluster::PackedPod pod) {
    return snapshot_.put(std::move(pod));
  }
  [[nodiscard]] cluster::PodEvent remove_pod(std::string_view key, std::string_view uid) {
    return snapshot_.remove_pod(key, uid);
  }
  // Brings everything but the snapshot up to the event. A nomination that ends is room that comes
  // free.
  std::optional<NodeChange> apply(const cluster::PodEvent& event, const Clocks& clocks);
  // A pod that cannot be read; returns the changes of both nodes concerned.
  std::vector<NodeChange> put_unreadable(const Unreadable& pod);
  std::optional<NodeChange> forget_unreadable(std::string_view key);
  // Keys of known pods that a list no longer has, in order.
  [[nodiscard]] std::vector<std::string> gone_since(const PodsListed& list) const;

  // A pod group was added, changed or deleted. Its pods count with what it says now. Returns what
  // changed for each of them, before and after.
  struct GroupChange {
    bool says_the_same = false;  // to its pods
    std::vector<std::pair<policy::Pod, policy::Pod>> pods{};
  };
  GroupChange put(policy::PodGroup group, const Clocks& clocks);
  GroupChange remove_group(std::string_view key, std::string_view uid, const Clocks& clocks);
  // What groups say that leave their preemption policy to their class. After it changed: the groups
  // that say something else by it.
  [[nodiscard]] GroupClasses& priority_classes() { return priority_classes_; }
  [[nodiscard]] std::vector<GroupChange> classes_changed(const Clocks& clocks);

  // These return the budget as it was before.
  template <class Budget>
  std::optional<Budget> put_budget(const Budget& budget) {
    return snapshot_.put(budget);
  }
  std::optional<policy::PodDisruptionBudget> remove(const BudgetGone& gone);
  std::optional<policy::DisruptionBudget> remove(const OwnBudgetGone& gone);
  // What the room of the cluster knows of the namespace's budgets is brought up to date. It costs a
  // look at each of them.
  void refresh_budgets(const std::string& ns, const Clocks& clocks);
  // The same for one PodDisruptionBudget; it costs a look at that one.
  void refresh_budget(std::string_view ns, std::string_view name);
  // When the hard budgets allow more again, never sooner than in a second; none: not by time alone.
  [[nodiscard]] static std::optional<Time> allowed_at(const policy::Budgets& budgets,
                                                      const Clocks& clocks);

  // What selects pods. All of one kind; others are gone.
  void put_all(policy::SelectingKind kind, const std::vector<policy::Selecting>& objects);
  void put(const policy::Namespace& seen);
  void remove_namespace(const std::string& name);
  [[nodiscard]] const Names& namespaces() const { return namespaces_; }

  // ---- victims ----
  // The pod counts as terminating until the watch shows it so, or that time is over.
  void assume_terminating(const policy::Pod& pod, const Clocks& clocks);
  [[nodiscard]] bool is_assumed(std::string_view key) const { return assumed_.contains(key); }
  [[nodiscard]] bool is_assumed(std::string_view key, std::string_view uid) const;
  [[nodiscard]] std::size_t assumed() const { return assumed_.size(); }
  // Forgets the victims whose time is over; returns their nodes.
  [[nodiscard]] std::vector<std::string> drop_overdue_victims(const Clocks& clocks);
  cluster::Snapshot::Debits debit_budgets(const policy::Pod& victim, policy::Time server) {
    return snapshot_.debit_budgets(victim, server);
  }
  void leave_out(cluster::Snapshot::Debits debits) { snapshot_.leave_out(std::move(debits)); }
  [[nodiscard]] bool undebit_budgets(const Victim& victim) {
    return snapshot_.undebit_budgets(victim.ns, victim.uid);
  }

  // ---- what time changes ----
  [[nodiscard]] std::vector<std::string> take_due_budgets(Time now) {
    return budgets_due_.take_due(now);
  }
  [[nodiscard]] std::optional<Time> next_victim() const { return assumed_due_.next(); }
  [[nodiscard]] std::optional<Time> next_budget() const { return budgets_due_.next(); }

  // ---- what is asked ----
  [[nodiscard]] bool places() const { return places_; }
  [[nodiscard]] const cluster::Snapshot& snapshot() const { return snapshot_; }
  // For policy::schedule, which leaves it as it was.
  [[nodiscard]] policy::ClusterRoom& room() { return room_; }
  // A pod is taken out of the room while something is asked, and put in again.
  void take_out_of_room(const policy::Pod& pod, const Clocks& clocks);
  void put_in_room(const policy::Pod& pod, const Clocks& clocks);
  // The node with assumed victims as terminating, and without the pods that it can never admit.
  [[nodiscard]] std::optional<cluster::NodeView> view_of(const std::string& node,
                                                         const Clocks& clocks) const;

  [[nodiscard]] AssumeCache& assume_cache() { return assume_cache_; }
  [[nodiscard]] const AssumeCache& assume_cache() const { return assume_cache_; }
  [[nodiscard]] PendingStatus& pending_writes() { return pending_writes_; }
  [[nodiscard]] AvoidedNodes& avoided_nodes() { return avoided_nodes_; }
  [[nodiscard]] RoomDeadlines& deadlines() { return deadlines_; }
  [[nodiscard]] const RoomDeadlines& deadlines() const { return deadlines_; }
  [[nodiscard]] RefusedRemovals& refusals() { return refusals_; }
  [[nodiscard]] const RefusedRemovals& refusals() const { return refusals_; }

 private:
  void stand_by_class(policy::PodGroup& group) const;
  template <class Change>
  GroupChange change_group(std::string_view key, const Clocks& clocks, Change change);

  static constexpr std::size_t kCollections = 5;
  static constexpr std::size_t kPlacingCollections = 5;  // further ones where pods are placed
  struct AssumedVictim {
    std::string uid{};
    std::string node{};
  };

  NodeChange changed(std::string_view node, cluster::Changes what, bool is_new = false);
  void note_end(const policy::Pod& ended, bool was_seen, const Clocks& clocks);

  bool places_;
  std::uint64_t node_changes_ = 0;
  cluster::Snapshot snapshot_;
  GroupClasses priority_classes_;
  // The snapshot's room, event by event; only where pending pods are placed.
  policy::ClusterRoom room_;
  std::set<Collection> listed_{};
  std::map<Collection, std::string> lost_{};
  std::set<Collection> listed_of_volumes_{};
  std::map<Collection, std::string> lost_of_volumes_{};
  Names namespaces_{};
  AssumeCache assume_cache_{};
  PendingStatus pending_writes_{};
  std::map<std::string, AssumedVictim, std::less<>> assumed_{};  // by key
  control::DeadlineQueue assumed_due_{};                         // by key
  control::DeadlineQueue budgets_due_{};  // namespaces whose hard budgets allow more by then
  AvoidedNodes avoided_nodes_{};
  RoomDeadlines deadlines_{};
  RefusedRemovals refusals_{};
};

}  // namespace elbowroom::scheduler
