// What the disruption budgets of a room allow while the potential victims of a decision are charged
// to them. One object serves all nodes of a decision, and keeps its memory between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/placement/cluster_room.h"
#include "policy/placement/room_units.h"
#include "policy/preemption/budget_account.h"

namespace elbowroom::policy {

// Parallel to the units.
struct UnitCharges {
  std::vector<bool> forbidden{};        // by a hard budget (not by upstream's rules)
  std::vector<Violations> violating{};  // pods of the unit that violate a budget; 0 if forbidden
};

class UnitBudgets {
 public:
  // `room` must outlive this object, and its budgets must not change meanwhile.
  explicit UnitBudgets(const ClusterRoom& room) : room_(room) {}

  // `units` come most important first. Pods are charged wherever they run; see budget_account.h.
  // The result is valid until the next call.
  [[nodiscard]] const UnitCharges& charge(std::span<const HoldingUnit> units);

 private:
  // The account of a budget in the present call.
  struct Account {
    std::uint64_t call = 0;
    std::uint32_t number = 0;
  };
  enum class Which : std::uint8_t { All, Hard };

  void open_accounts(std::span<const HoldingUnit> units, Which which);
  std::uint32_t account_of(std::uint32_t budget);
  void forbid(std::span<const HoldingUnit> units);

  const ClusterRoom& room_;
  UnitCharges charges_{};
  BudgetAccounts accounts_{};
  bool has_hard_ = false;           // some of accounts_ is of a hard budget
  std::vector<Account> numbers_{};  // by budget
  std::uint64_t call_ = 0;
  std::vector<HoldingUnit> kept_{};  // the units that may go
  std::vector<Violations> breaks_{};
};

}  // namespace elbowroom::policy
