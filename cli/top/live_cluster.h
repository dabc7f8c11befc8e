// A cluster as its watches show it, and the overview of it. Only what a change touches is looked at
// again: its node, and the budgets of its namespace. What time alone changes is looked at again
// every few seconds. One thread uses it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cluster/snapshot.h"
#include "control/observation.h"
#include "policy/model/natural_order.h"
#include "policy/overview/overview.h"
#include "scheduler/observation.h"

namespace elbowroom::cli::top {

using scheduler::Collection;

class LiveCluster {
 public:
  using Lost = control::Lost<Collection>;
  using Back = control::Back<Collection>;
  using Seen =
      std::variant<scheduler::NodesListed, scheduler::NodeSeen, scheduler::NodeGone,
                   scheduler::PodsListed, scheduler::PodSeen, scheduler::PodGone,
                   scheduler::BudgetsListed, scheduler::BudgetSeen, scheduler::BudgetGone,
                   scheduler::OwnBudgetsListed, scheduler::OwnBudgetSeen, scheduler::OwnBudgetGone,
                   scheduler::PodGroupsListed, scheduler::PodGroupSeen, scheduler::PodGroupGone,
                   scheduler::Unreadable, Lost, Back>;

  void take(Seen seen);

  // Looks again at what has changed, as long as `goes_on`; at one node at least, if one has
  // changed. True where the overview may be another one.
  bool look(policy::Time now, const std::function<bool()>& goes_on);

  // Each collection was listed, or cannot be, and nothing is left to look at.
  [[nodiscard]] bool is_complete() const;
  // Neither nodes nor pods can be read.
  [[nodiscard]] bool sees_nothing() const;
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] policy::Overview overview(policy::Time now) const;

  // What `explain pod` says of it, as text; of its conditions alone where nodes cannot be read.
  // NotFound: no such pod holds room on a node.
  [[nodiscard]] Result<std::string> explain(std::string_view key, policy::Time now) const;

 private:
  struct NaturalOrder {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const {
      return policy::natural_less(a, b);
    }
  };
  // The budgets of one namespace.
  struct BudgetPart {
    std::vector<policy::BudgetOverview> budgets{};
    std::vector<policy::RecentRemoval> removals{};
  };
  using Names = std::set<std::string, std::less<>>;
  using BudgetNames = std::vector<std::pair<std::string, std::string>>;  // namespace, name

  void on(scheduler::NodesListed& seen);
  void on(scheduler::NodeSeen& seen);
  void on(const scheduler::NodeGone& seen);
  void on(scheduler::PodsListed& seen);
  void on(scheduler::PodSeen& seen);
  void on(const scheduler::PodGone& seen);
  void on(const scheduler::BudgetsListed& seen);
  void on(const scheduler::BudgetSeen& seen);
  void on(const scheduler::BudgetGone& seen);
  void on(const scheduler::OwnBudgetsListed& seen);
  void on(const scheduler::OwnBudgetSeen& seen);
  void on(const scheduler::OwnBudgetGone& seen);
  void on(scheduler::PodGroupsListed& seen);
  void on(scheduler::PodGroupSeen& seen);
  void on(const scheduler::PodGroupGone& seen);
  void on(const scheduler::Unreadable& seen);
  void on(const Lost& seen);
  void on(const Back& seen);

  void listed(Collection of);
  void put(cluster::PackedPod pod);
  void remove_pod(std::string_view key, std::string_view uid);
  void follow(const cluster::PodEvent& event);
  void put_group(policy::PodGroup group);
  void budgets_changed(std::string_view ns);
  template <class Listed, class Remove>
  void take_budgets(const Listed& seen, const BudgetNames& known, Remove remove);
  void mark(std::string_view node);
  void mark_what_time_changes(policy::Time now);
  void look_at_node(const std::string& name, policy::Time now);
  void look_at_budgets(const std::string& ns, policy::Time now);
  template <class LookAt>
  static void look_at(Names& names, std::string& next, const std::function<bool()>& goes_on,
                      LookAt look_at);
  [[nodiscard]] policy::Unremovable unremovable_for(const cluster::NodeView& view,
                                                    policy::Time now) const;
  [[nodiscard]] std::vector<std::string> lacks() const;
  [[nodiscard]] bool reads_no_nodes() const;

  cluster::Snapshot snapshot_{};
  std::set<Collection> listed_{};
  std::map<Collection, std::string> lost_{};
  Names changed_nodes_{};
  Names changed_budgets_{};  // namespaces
  std::string next_node_{};  // whose turn it is: none waits for ever
  std::string next_budgets_{};
  policy::Time looked_at_times_{};
  std::map<std::string, policy::NodePart, NaturalOrder> nodes_{};
  std::map<std::string, BudgetPart, std::less<>> budgets_{};  // by namespace
};

}  // namespace elbowroom::cli::top
