// Brings the reactor's state up to what the watches show: the cluster first, then what follows from
// it for marks, counted losses and waiting pods.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/selector.h"
#include "scheduler/observation.h"
#include "scheduler/reactor_state.h"
#include "scheduler/waiting/turns.h"

namespace elbowroom::scheduler {

class ClusterFollower {
 public:
  // All must live as long.
  ClusterFollower(const ReactorOptions& options, ReactorState& state, Turns& turns)
      : options_(options), state_(state), turns_(turns) {}

  // What is listed is moved from: tens of thousands of pods.
  void on(NodesListed& seen);
  void on(NodeSeen& seen);
  void on(const NodeGone& seen);
  void on(PodsListed& seen);
  void on(PodSeen& seen);
  void on(const PodGone& seen);
  void on(const BudgetsListed& seen);
  void on(const BudgetSeen& seen);
  void on(const BudgetGone& seen);
  void on(const OwnBudgetsListed& seen);
  void on(const OwnBudgetSeen& seen);
  void on(const OwnBudgetGone& seen);
  void on(const NamespacesListed& seen);
  void on(const NamespaceSeen& seen);
  void on(const NamespaceGone& seen);
  void on(PodGroupsListed& seen);
  void on(PodGroupSeen& seen);
  void on(const PodGroupGone& seen);
  void on(const PriorityClassesListed& seen);
  void on(const PriorityClassSeen& seen);
  void on(const PriorityClassGone& seen);
  // They score nodes: no pod is woken for them.
  template <policy::SelectingKind kOf>
  void on(const control::Listed<SelectingOf<kOf>>& seen) {
    std::vector<policy::Selecting> all;
    for (const SelectingOf<kOf>& each : seen.objects) all.push_back(each.is);
    state_.cluster.put_all(kOf, all);
    state_.cluster.listed(collection_of(kOf));
  }
  template <policy::SelectingKind kOf>
  void on(const control::Seen<SelectingOf<kOf>>& seen) {
    state_.cluster.room().selecting().put(seen.object.is);
  }
  template <policy::SelectingKind kOf>
  void on(const control::Gone<SelectingOf<kOf>>& seen) {
    const auto [ns, name] = control::name_parts(seen.key);
    state_.cluster.room().selecting().remove(kOf, ns, name);
  }
  void on(const Unreadable& seen);

  // A pod group as the watch shows it, or its end.
  void take_in(policy::PodGroup group);
  void group_gone(std::string_view key, std::string_view uid);

  // The pod counts as shown, with what is assumed of it; the waiting pod `but`, which caused that,
  // is not woken.
  void believe(cluster::PackedPod pod, std::string_view but = {});
  // Pods that wait where these budgets cover others, or covered them, are woken.
  void rates_changed();

  // True if pending pods of that scheduler are ours to place.
  [[nodiscard]] bool is_ours(const policy::Pod& pod) const {
    return options_.places_for.contains(pod.scheduler_name);
  }

 private:
  using Names = std::set<std::string, std::less<>>;
  using BudgetNames = std::vector<std::pair<std::string, std::string>>;  // namespace and name
  using Selector = std::optional<policy::LabelSelector>;

  void take_in(cluster::PackedPod shown);
  void take_in(const cluster::PodEvent& event, std::string_view but);
  void understood(std::string_view key);
  void classes_changed();
  void follow_group(const ClusterState::GroupChange& change);
  void follow_waiting(const policy::Pod* before, const policy::Pod* after);
  void take_in(policy::Node node);
  void follow_disruption(const policy::Pod* before, const policy::Pod* after);
  void follow_loss(const policy::Pod* before, const policy::Pod* after);
  void wake_for(const cluster::PodEvent& event, std::string_view but);
  void wake_for_budgets(const cluster::PodEvent& event, std::string_view but);
  void drop_waiting(std::string_view key);
  void on_unreadable_budget(const Unreadable& seen);
  template <class Budget>
  [[nodiscard]] bool take_in_budget(const Budget& budget);
  template <class Budget>
  void take_in_budgets(const control::Listed<Budget>& seen, const BudgetNames& known);
  template <class Budget>
  void budget_gone(const std::optional<Budget>& before);
  // `may_forbid`: the budget is, or was, one that keeps pods from being removed.
  void budget_changed(const std::string& ns, const Selector& before, const Selector& after,
                      bool may_forbid, std::string_view but = {});
  void refresh_budgets_of(const Names& namespaces);

  const ReactorOptions& options_;
  ReactorState& state_;
  Turns& turns_;
};

}  // namespace elbowroom::scheduler
