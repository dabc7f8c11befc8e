// The potential victims of a gang, rated for one decision: what each breaks, and what the removal
// of several costs.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "policy/model/importance.h"
#include "policy/placement/gang_schedule.h"
#include "policy/placement/gang_trial.h"
#include "policy/preemption/budget_account.h"
#include "policy/preemption/reprieve.h"

namespace elbowroom::policy {

// What removing some units costs, beside what is gone already; less is better. Source: the order
// for nodes of kube-scheduler framework/preemption pickOneNodeForPreemption (1.37), without the
// highest priority, which the ceiling bounds.
struct GangHarm {
  std::int64_t violations = 0;       // of PodDisruptionBudgets
  std::int64_t priorities = 0;       // each raised by 2^31
  std::int64_t soft_violations = 0;  // of DisruptionBudgets
  std::int64_t victims = 0;          // pods
  bool has_started = false;          // the most important unit
  std::int64_t negated_start = 0;

  friend auto operator<=>(const GangHarm&, const GangHarm&) = default;
};

// Which units may be removed for one try.
struct GangLimit {
  std::int64_t ceiling = 0;     // those of a higher priority stay
  bool spares_budgets = false;  // those that violate a PodDisruptionBudget stay, too
};

class GangUnits {
 public:
  // Finds the units in the trial. Both must outlive this object.
  GangUnits(GangTrial& trial, const Gang& gang);

  // No hard budget keeps the unit, nor the limit.
  [[nodiscard]] bool may_go(std::uint32_t unit, const GangLimit& limit) const;
  // Of those that may go, whatever their priority.
  [[nodiscard]] std::set<std::int64_t> priorities(bool spares_budgets) const;
  [[nodiscard]] std::size_t pods() const;  // of those that may go
  // Some unit that may go violates a PodDisruptionBudget.
  [[nodiscard]] bool any_breaks_budget() const;
  // How many of its pods violate a budget.
  [[nodiscard]] const Violations& violating(std::uint32_t unit) const { return violating_[unit]; }
  // For this gang, by an intent that is not finished. The order of reprieve does not hang on it, so
  // that a choice is the same again once its victims are marked.
  [[nodiscard]] bool is_marked(std::uint32_t unit) const { return is_marked_[unit]; }
  [[nodiscard]] std::vector<std::uint32_t> by_importance(std::vector<std::uint32_t> units) const;
  [[nodiscard]] GangHarm harm_of(const std::vector<std::uint32_t>& units) const;

  // Puts back those of `gone` that can stay, in the order of reprieve. `stays(unit)` puts one back
  // where it can stay, and says so. Returns the others, most important first.
  template <class Stays>
  std::vector<std::uint32_t> reprieve(std::vector<std::uint32_t> gone, Stays stays) const {
    gone = by_importance(std::move(gone));
    std::vector<bool> goes(gone.size(), false);
    const auto status_of = [&](std::size_t i) -> ReprieveStatus {
      const std::uint32_t unit = gone[i];
      return {.priority = priority_of(trial_.units()[unit].unit),
              .breaks_budget = violating_[unit].firm > 0,
              .breaks_soft_budget = violating_[unit].soft > 0};
    };
    reprieve_in_order(gone.size(), status_of, [&](std::size_t i) { goes[i] = !stays(gone[i]); });
    std::vector<std::uint32_t> victims;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (goes[i]) victims.push_back(gone[i]);
    }
    return victims;
  }

 private:
  void charge();

  GangTrial& trial_;
  std::vector<Violations> violating_{};   // by unit
  std::vector<bool> is_marked_{};         // by unit
  std::vector<bool> is_forbidden_{};      // by unit: a hard budget
  std::vector<Importance> importance_{};  // by unit
};

}  // namespace elbowroom::policy
