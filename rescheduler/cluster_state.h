// The cluster as the rescheduler knows it: nodes, pods and DisruptionBudgets as the watches show
// them. Every change says which budgets it concerns; nothing is called back.
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
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

class ClusterState {
 public:
  using Keys = std::set<std::string, std::less<>>;  // of budgets: NAMESPACE/NAME

  // ---- which collections are followed ----
  void lost(Collection of, std::string why) { lost_[of] = std::move(why); }
  void back(Collection of) { lost_.erase(of); }
  [[nodiscard]] bool is_synced() const;
  // Why the first of the lost ones is not followed; "": none is lost.
  [[nodiscard]] std::string lost() const;

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
  // A budget that cannot be understood is not kept. The last known state of a pod is kept.
  Keys take(const Unreadable& seen);

  // ---- what is asked ----
  [[nodiscard]] const cluster::Snapshot& snapshot() const { return snapshot_; }
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
  std::size_t known_ = 0;  // budgets in the snapshot
  std::set<Collection> listed_{};
  std::map<Collection, std::string> lost_{};
  std::map<std::string, std::string, std::less<>> odd_budgets_{};
  std::map<std::string, Keys, std::less<>>
      leaving_{};  // keys of pods that go disrupted, by namespace
};

}  // namespace elbowroom::rescheduler
