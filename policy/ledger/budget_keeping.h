// The status that a DisruptionBudget is to have: counts, what it allows, conditions and the ledger.
// What it says to be allowed is what debit() allows, by the same rule. One program keeps it; no
// decision of others hangs on that.
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "policy/ledger/ledger.h"
#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::policy {

// The status of a hard budget is written again when it is that old: a program that cannot count
// pods relies on it, and takes one of ten minutes for one that allows nothing.
inline constexpr std::chrono::minutes kStatusRenewed{5};

inline constexpr std::string_view kBudgetObserved = "Observed";
inline constexpr std::string_view kDisruptionAllowed = "DisruptionAllowed";
inline constexpr std::string_view kReasonUnderstood = "Understood";
inline constexpr std::string_view kReasonNotUnderstood = "NotUnderstood";
inline constexpr std::string_view kReasonNoSelector = "NoSelector";
inline constexpr std::string_view kReasonSufficientPods = "SufficientPods";
inline constexpr std::string_view kReasonInsufficientPods = "InsufficientPods";
inline constexpr std::string_view kReasonRateExhausted = "RateExhausted";
inline constexpr std::string_view kReasonLedgerFull = "LedgerFull";

// The conditions of a status with what is said by `now`, in whole seconds; the others stay. The
// time of a condition that says the same as before stays. What the API server would refuse is left
// out.
[[nodiscard]] Conditions updated_conditions(Conditions known, std::initializer_list<Condition> said,
                                            Time now);

// The pod is on its way out and says that it was disrupted: where it has no entry, it gets one.
[[nodiscard]] bool goes_disrupted(const Pod& pod);

struct BudgetKeeping {
  BudgetStatus status{};     // observed at the state's `now`
  Ledger ledger{};           // to be stored with it
  std::size_t refunded = 0;  // entries left out because their pods were not removed
  std::size_t entered = 0;   // pods that go without having been debited
  bool is_due = false;       // it says something new, or is to be renewed
  // When time may change it, later than `now`. None: not by time alone.
  std::optional<Time> look_again{};
};
// `state.pods` holds at least the pods that its entries name and those that go disrupted, of this
// budget; `state.now` has whole seconds.
[[nodiscard]] BudgetKeeping keeping_of(const LedgerState& state);

}  // namespace elbowroom::policy
