// The ledger of a DisruptionBudget: its status.recentDisruptions. Each program that removes pods
// debits them there before it removes them, so that all programs share what the budget allows.
// Times are those of the API server. Source: seed 004, disruption budgets.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "policy/preemption/budget_charge.h"

namespace elbowroom::policy {

// An entry of this age is renewed before its pod is removed: another program, whose watch shows the
// pod later, must not take it for one that was not removed.
inline constexpr std::chrono::seconds kRenewedFrom{30};

// A budget with its ledger, as it is at `now`. Nothing is owned.
struct LedgerState {
  const DisruptionBudget& budget;
  Strength strength{};          // of all pods
  std::span<const Pod> pods{};  // at least those that the entries name, and that exist
  Time now{};
};
// The same, counted over `pods`: at least all pods of the budget's namespace.
[[nodiscard]] LedgerState ledger_state(const DisruptionBudget& budget, std::span<const Pod> pods,
                                       Time now);

// The entries that still count, in their order: one for each uid, without those that are older than
// the rate's `per` and than kTimeToRemove, and without those to refund.
[[nodiscard]] Ledger current_entries(const LedgerState& state);

// The strength without the healthy pods that current entries name: they are about to go.
[[nodiscard]] Strength strength_beside(const LedgerState& state, const Ledger& current);
// Whether the entry will count, or does by now.
[[nodiscard]] bool is_current(const LedgerState& state, const LedgerEntry& entry);

// What the budget allows beside these entries, which are current. The pods of entries that are
// healthy count as removed.
struct Allowance {
  std::int64_t healthy = 0;  // of the covered pods: healthy, and not entered
  std::int64_t allowed = 0;  // >= 0, and no more than there is space for in the ledger
  // Where the rate alone allows none: when it allows one. None: the passing of time changes
  // nothing.
  std::optional<Time> next{};
};
[[nodiscard]] Allowance allowance(const LedgerState& state, const Ledger& current);

// The ledger with the victims entered, or why they cannot be.
struct Debit {
  bool is_allowed = false;
  Ledger ledger{};           // to store, where it is allowed
  std::size_t charged = 0;   // victims that are, or would be, entered or charged once more
  std::int64_t allowed = 0;  // what the budget allows before, >= 0; INT64_MAX: it sets no bound
  // Where the rate alone refuses: when it allows so many. None: the passing of time changes
  // nothing.
  std::optional<Time> next{};
};
// All of them or none. A victim that the budget has been charged for (is_charged()) is not charged
// again, and an unhealthy one that the budget spares (spares_unhealthy()) is neither charged nor
// entered; an entry of another program becomes one of this program, and the other does not take it
// back; an old entry is renewed. The pods of current entries that are healthy still count as
// removed.
[[nodiscard]] Debit debit(const LedgerState& state, std::span<const Pod> victims,
                          std::string_view by);

// The same, whatever the budget allows: for one that is a preference. Where the ledger is full, its
// oldest entries make room.
[[nodiscard]] Debit debit_regardless(const LedgerState& state, std::span<const Pod> victims,
                                     std::string_view by);

// The ledger with these entries, too. One whose uid is there stays as it is. Where the ledger is
// full, its oldest entries make room.
[[nodiscard]] Ledger entered(Ledger ledger, std::span<const LedgerEntry> entries);

// The ledger without the program's entries of that uid.
[[nodiscard]] Ledger refunded(Ledger ledger, std::string_view uid, std::string_view by);

}  // namespace elbowroom::policy
