// The cluster as the rescheduler knows it: nodes, pods, budgets and what else moves take, as the
// watches show them. Every change says which DisruptionBudgets it concerns; nothing is called back.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "policy/ledger/ledger.h"
#include "policy/placement/schedule.h"
#include "rescheduler/collections.h"
#include "rescheduler/moving/move_room.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

class ClusterState {
 public:
  using Keys = std::set<std::string, std::less<>>;  // of budgets: NAMESPACE/NAME

  // ---- which collections are followed ----
  void lost(Collection of, std::string why) { lost_[of] = std::move(why); }
  void back(Collection of) { lost_.erase(of); }
  // What the status of budgets takes.
  [[nodiscard]] bool is_synced() const;
  [[nodiscard]] bool has_listed(Collection of) const { return listed_.contains(of); }
  // Why the first of these that is lost is not followed; "": none is lost.
  [[nodiscard]] std::string lost() const;
  // Why no moves can be decided on: the first collection that is not followed; "": all are.
  [[nodiscard]] std::string unseen() const;

  // ---- what the watches show; each returns the budgets to look at ----
  Keys take(NodesListed& seen);
  Keys take(NodeSeen& seen);
  Keys take(const NodeGone& seen);
  Keys take(PodsListed& seen);
  Keys take(PodSeen& seen);
  Keys take(const PodGone& seen);
  Keys take(const BudgetsListed& seen);
  Keys take(const BudgetSeen& seen);
  Keys take(const BudgetGone& seen);
  // A budget that cannot be understood is not kept. The last known state of a pod is kept, and
  // nothing is moved from or to its node.
  Keys take(const Unreadable& seen);
  // What only moves take concerns no budget of ours.
  Keys take(const PodBudgetsListed& seen);
  Keys take(const PodBudgetSeen& seen);
  Keys take(const PodBudgetGone& seen);
  Keys take(const NamespacesListed& seen);
  Keys take(const NamespaceSeen& seen);
  Keys take(const NamespaceGone& seen);
  template <Collection kOf>
  Keys take(const control::Listed<OwnerOf<kOf>>& seen) {
    const std::string_view kind = row_of(kOf).kind;
    Keys there(seen.unreadable.begin(), seen.unreadable.end());
    for (const OwnerOf<kOf>& each : seen.objects) {
      there.insert(each.is.ns + "/" + each.is.name);
      moves_.put(each.is);
    }
    for (const std::string& key : moves_.owner_keys(kind)) {
      if (!there.contains(key)) moves_.remove_owner(kind, key);
    }
    listed(kOf);
    return {};
  }
  template <Collection kOf>
  Keys take(const control::Seen<OwnerOf<kOf>>& seen) {
    moves_.put(seen.object.is);
    return {};
  }
  template <Collection kOf>
  Keys take(const control::Gone<OwnerOf<kOf>>& seen) {
    moves_.remove_owner(row_of(kOf).kind, seen.key);
    return {};
  }
  // Of a ConfigMap; what it says is kept elsewhere.
  void listed(Collection of) {
    listed_.insert(of);
    lost_.erase(of);
  }

  // ---- what is asked ----
  [[nodiscard]] const cluster::Snapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] MoveRoom& moves() { return moves_; }
  [[nodiscard]] const MoveRoom& moves() const { return moves_; }
  // The nodes that no pod leaves or comes to, each with the reason.
  [[nodiscard]] policy::AvoidedByName left_alone() const;
  [[nodiscard]] const policy::DisruptionBudget* budget(std::string_view key) const;
  // All budgets that are understood.
  [[nodiscard]] Keys budgets() const;
  [[nodiscard]] std::size_t own_budgets() const { return known_; }
  // Why a budget is not understood, by key.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& odd_budgets() const {
    return odd_budgets_;
  }
  // The pods that matter for the budget's ledger: those that its entries name, and those that go
  // disrupted.
  [[nodiscard]] std::vector<policy::Pod> pods_for(const policy::DisruptionBudget& budget) const;

 private:
  Keys put(cluster::PackedPod pod);
  void drop(std::string_view ns, std::string_view name);
  Keys follow(std::string_view key, const cluster::PodEvent& event);

  cluster::Snapshot snapshot_{};
  MoveRoom moves_{};
  std::size_t known_ = 0;  // budgets in the snapshot
  Keys namespaces_{};
  std::set<Collection> listed_{};
  std::map<Collection, std::string> lost_{};
  std::map<std::string, std::string, std::less<>> odd_budgets_{};
  std::map<std::string, Keys, std::less<>>
      leaving_{};  // keys of pods that go disrupted, by namespace
};

}  // namespace elbowroom::rescheduler
