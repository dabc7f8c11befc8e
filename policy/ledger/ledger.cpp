#include "policy/ledger/ledger.h"

#include <algorithm>
#include <set>

#include "policy/model/condition.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

// The pod goes: nothing is left to be removed of it.
bool leaves(const Pod& pod) {
  return is_terminating(pod) || has_true(pod.conditions, kDisruptionTarget);
}

const Pod* find(std::span<const Pod> pods, std::string_view uid) {
  const auto at = std::ranges::find(pods, uid, &Pod::uid);
  return at == pods.end() ? nullptr : &*at;
}

// What strength alone allows, and what strength and rate do.
struct Allowed {
  std::int64_t healthy = 0;
  std::int64_t by_strength = 0;
  std::int64_t by_both = 0;
};
Allowed allowed_beside(const LedgerState& state, const Ledger& current) {
  DisruptionBudget budget = state.budget;
  budget.recent = current;
  const Strength strength = strength_beside(state, current);
  Allowed allowed{.healthy = strength.healthy};
  allowed.by_both = allowed_now(budget, strength, state.now);
  budget.rate_disruptions.reset();
  allowed.by_strength = allowed_now(budget, strength, state.now);
  return allowed;
}

std::int64_t space_in(const Ledger& ledger) {
  return static_cast<std::int64_t>(kMostLedgerEntries -
                                   std::min(ledger.size(), kMostLedgerEntries));
}

// When so many of the entries are older than `per` that the rate allows `wanted`.
std::optional<Time> rate_allows(const LedgerState& state, const Ledger& current,
                                std::int64_t wanted) {
  const std::int64_t most = state.budget.rate_disruptions.value_or(0);
  if (wanted > most) return std::nullopt;
  std::vector<Time> ends;
  for (const LedgerEntry& each : current) {
    if (state.now - each.time < state.budget.rate_per) {
      ends.push_back(each.time + state.budget.rate_per);
    }
  }
  std::ranges::sort(ends);
  const auto too_many = static_cast<std::int64_t>(ends.size()) + wanted - most;
  if (too_many <= 0) return std::nullopt;
  return ends[static_cast<std::size_t>(too_many) - 1];
}

// Those of the victims that the budget covers, does not spare and has not been charged for.
std::vector<const Pod*> missing_of(const LedgerState& state, const Ledger& ledger,
                                   std::span<const Pod> victims) {
  std::vector<const Pod*> missing;
  const bool spares = spares_unhealthy(state.budget, strength_beside(state, ledger));
  for (const Pod& each : victims) {
    if (spares && is_unhealthy(each)) continue;
    const auto entry = std::ranges::find(ledger, each.uid, &LedgerEntry::uid);
    const bool is_there = entry != ledger.end() && is_charged(state.budget, *entry, state.now);
    if (!is_there && is_covered(state.budget, each)) missing.push_back(&each);
  }
  return missing;
}

void enter(Ledger& ledger, std::span<const Pod> victims, const std::vector<const Pod*>& missing,
           std::string_view by, Time now) {
  for (LedgerEntry& each : ledger) {
    const bool is_charged_again = std::ranges::find(missing, each.uid, &Pod::uid) != missing.end();
    const bool is_fresh = each.by == by && now - each.time < kRenewedFrom;
    if ((is_fresh && !is_charged_again) || find(victims, each.uid) == nullptr) continue;
    each.by = by;
    each.time = std::max(each.time, now);
  }
  for (const Pod* each : missing) {
    if (std::ranges::find(ledger, each->uid, &LedgerEntry::uid) != ledger.end()) continue;
    ledger.push_back({.pod = each->name, .uid = each->uid, .time = now, .by = std::string(by)});
  }
}

// The oldest entries.
void drop_surplus(Ledger& ledger) {
  if (ledger.size() <= kMostLedgerEntries) return;
  std::ranges::stable_sort(ledger, {}, &LedgerEntry::time);
  const auto surplus = static_cast<std::ptrdiff_t>(ledger.size() - kMostLedgerEntries);
  ledger.erase(ledger.begin(), ledger.begin() + surplus);
}

}  // namespace

LedgerState ledger_state(const DisruptionBudget& budget, std::span<const Pod> pods, Time now) {
  return {.budget = budget, .strength = strength_of(budget, pods), .pods = pods, .now = now};
}

bool is_current(const LedgerState& state, const LedgerEntry& entry) {
  const auto age = state.now - entry.time;
  if (age < kTimeToRemove) return true;
  const Pod* pod = find(state.pods, entry.uid);
  if (pod != nullptr && !leaves(*pod)) return false;
  return state.budget.rate_disruptions && age < state.budget.rate_per;
}

Ledger current_entries(const LedgerState& state) {
  Ledger current;
  std::set<std::string_view> seen;
  for (const LedgerEntry& each : state.budget.recent) {
    if (is_current(state, each) && seen.insert(each.uid).second) current.push_back(each);
  }
  return current;
}

// Debited, and not gone yet.
Strength strength_beside(const LedgerState& state, const Ledger& current) {
  Strength strength = state.strength;
  strength.healthy -= std::ranges::count_if(current, [&](const LedgerEntry& entry) {
    const Pod* pod = find(state.pods, entry.uid);
    return pod != nullptr && is_covered(state.budget, *pod) && is_healthy(*pod);
  });
  return strength;
}

Allowance allowance(const LedgerState& state, const Ledger& current) {
  const Allowed allowed = allowed_beside(state, current);
  Allowance made{.healthy = allowed.healthy,
                 .allowed = std::min(allowed.by_both, space_in(current))};
  if (made.allowed == 0 && allowed.by_strength > 0) made.next = rate_allows(state, current, 1);
  return made;
}

Debit debit(const LedgerState& state, std::span<const Pod> victims, std::string_view by) {
  Debit made;
  made.ledger = current_entries(state);
  const Allowed allowed = allowed_beside(state, made.ledger);
  made.allowed = allowed.by_both;
  const std::vector<const Pod*> missing = missing_of(state, made.ledger, victims);
  const auto wanted = static_cast<std::int64_t>(missing.size());
  made.charged = missing.size();
  made.is_allowed = wanted <= std::min(made.allowed, space_in(made.ledger));
  if (made.is_allowed) {
    enter(made.ledger, victims, missing, by, state.now);
  } else if (wanted <= allowed.by_strength) {
    made.next = rate_allows(state, made.ledger, wanted);
  }
  return made;
}

Debit debit_regardless(const LedgerState& state, std::span<const Pod> victims,
                       std::string_view by) {
  Debit made{.is_allowed = true, .ledger = current_entries(state)};
  made.allowed = allowance(state, made.ledger).allowed;
  const std::vector<const Pod*> missing = missing_of(state, made.ledger, victims);
  made.charged = missing.size();
  enter(made.ledger, victims, missing, by, state.now);
  drop_surplus(made.ledger);
  return made;
}

Ledger entered(Ledger ledger, std::span<const LedgerEntry> entries) {
  for (const LedgerEntry& each : entries) {
    const bool is_there = std::ranges::find(ledger, each.uid, &LedgerEntry::uid) != ledger.end();
    if (!is_there) ledger.push_back(each);
  }
  drop_surplus(ledger);
  return ledger;
}

Ledger refunded(Ledger ledger, std::string_view uid, std::string_view by) {
  std::erase_if(ledger, [&](const LedgerEntry& each) { return each.uid == uid && each.by == by; });
  return ledger;
}

}  // namespace elbowroom::policy
