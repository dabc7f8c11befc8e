// The DisruptionBudgets of the namespaces whose pods the node may have to remove, read from the API
// server when they are needed. A node sees its own pods only, so what a hard one allows is what its
// status allows (policy/ledger/budget_by_status.h).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::agent {

// A DisruptionBudget by name.
struct BudgetRef {
  std::string ns{};
  std::string name{};
  std::string uid{};

  friend bool operator==(const BudgetRef&, const BudgetRef&) = default;
};

class SeenBudgets {
 public:
  using Milliseconds = std::chrono::milliseconds;  // on the reactor's clock

  // What was read longer ago is read again.
  static constexpr std::chrono::seconds kLasts{5};

  struct OfNamespace {
    Milliseconds at{0};     // of the answer
    policy::Time server{};  // the same, by the API server's clock
    std::string trouble{};  // why they are not known; "": they are
    std::vector<policy::DisruptionBudget> budgets{};

    friend bool operator==(const OfNamespace&, const OfNamespace&) = default;
  };
  using ByNamespace = std::map<std::string, OfNamespace, std::less<>>;

  SeenBudgets() = default;
  explicit SeenBudgets(ByNamespace known) : known_(std::move(known)) {}

  void put(const std::string& ns, OfNamespace seen) {
    known_.insert_or_assign(ns, std::move(seen));
  }
  // What was read more than kLasts ago.
  void drop_old(Milliseconds now);
  void clear() { known_.clear(); }

  [[nodiscard]] bool knows(std::string_view ns) const { return known_.contains(ns); }
  // Why the budgets of the namespaces are not known; "": all are.
  [[nodiscard]] std::string trouble() const;
  // When something is to be read again; none: nothing is known.
  [[nodiscard]] std::optional<Milliseconds> next_old() const;

  // For plan_resize_preemption(), at `plans_at`: the hard ones as walls. Of a namespace whose
  // budgets are not known, no pod may be removed.
  [[nodiscard]] policy::Budgets walls(policy::Time plans_at) const;
  // Those that cover the pod, hard or not, and charge it.
  [[nodiscard]] std::vector<BudgetRef> over(const policy::Pod& pod) const;

  [[nodiscard]] const ByNamespace& known() const { return known_; }
  friend bool operator==(const SeenBudgets&, const SeenBudgets&) = default;

 private:
  ByNamespace known_{};
};

}  // namespace elbowroom::agent
