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

bool counts(const LedgerState& state, const LedgerEntry& entry) {
  const auto age = state.now - entry.time;
  if (age < kTimeToRemove) return true;
  const Pod* pod = find(state.pods, entry.uid);
  if (pod != nullptr && !leaves(*pod)) return false;
  return state.budget.rate_disruptions && age < state.budget.rate_per;
}

std::int64_t allowed_beside(const LedgerState& state, const Ledger& current,
                            bool counts_rate = true) {
  DisruptionBudget budget = state.budget;
  budget.recent = current;
  if (!counts_rate) budget.rate_disruptions.reset();
  return allowed_now(budget, strength_beside(state, current), state.now);
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

// Those of the victims that the budget covers and the ledger does not have.
std::vector<const Pod*> missing_of(const LedgerState& state, const Ledger& ledger,
                                   std::span<const Pod> victims) {
  std::vector<const Pod*> missing;
  for (const Pod& each : victims) {
    const bool is_there = std::ranges::find(ledger, each.uid, &LedgerEntry::uid) != ledger.end();
    if (!is_there && is_covered(state.budget, each)) missing.push_back(&each);
  }
  return missing;
}

void enter(Ledger& ledger, std::span<const Pod> victims, const std::vector<const Pod*>& missing,
           std::string_view by, Time now) {
  for (LedgerEntry& each : ledger) {
    const bool is_fresh = each.by == by && now - each.time < kRenewedFrom;
    if (is_fresh || find(victims, each.uid) == nullptr) continue;
    each.by = by;
    each.time = std::max(each.time, now);
  }
  for (const Pod* each : missing) {
    ledger.push_back({.pod = each->name, .uid = each->uid, .time = now, .by = std::string(by)});
  }
}

}  // namespace

LedgerState ledger_state(const DisruptionBudget& budget, std::span<const Pod> pods, Time now) {
  return {.budget = budget, .strength = strength_of(budget, pods), .pods = pods, .now = now};
}

Ledger current_entries(const LedgerState& state) {
  Ledger current;
  std::set<std::string_view> seen;
  for (const LedgerEntry& each : state.budget.recent) {
    if (counts(state, each) && seen.insert(each.uid).second) current.push_back(each);
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

std::optional<Time> next_refund(const LedgerState& state) {
  std::optional<Time> next;
  for (const LedgerEntry& each : state.budget.recent) {
    const Pod* pod = find(state.pods, each.uid);
    if (pod == nullptr || leaves(*pod) || !counts(state, each)) continue;
    const Time at = each.time + kTimeToRemove;
    if (!next || at < *next) next = at;
  }
  return next;
}

Debit debit(const LedgerState& state, std::span<const Pod> victims, std::string_view by) {
  Debit made;
  made.ledger = current_entries(state);
  made.allowed = allowed_beside(state, made.ledger);
  const std::vector<const Pod*> missing = missing_of(state, made.ledger, victims);
  const auto wanted = static_cast<std::int64_t>(missing.size());
  const bool has_space = made.ledger.size() + missing.size() <= kMostLedgerEntries;
  made.is_allowed = wanted == 0 || (wanted <= made.allowed && has_space);
  if (made.is_allowed) {
    enter(made.ledger, victims, missing, by, state.now);
  } else if (wanted <= allowed_beside(state, made.ledger, false)) {
    made.next = rate_allows(state, made.ledger, wanted);
  }
  return made;
}

Debit debit_regardless(const LedgerState& state, std::span<const Pod> victims,
                       std::string_view by) {
  Debit made{.is_allowed = true, .ledger = current_entries(state)};
  made.allowed = allowed_beside(state, made.ledger);
  enter(made.ledger, victims, missing_of(state, made.ledger, victims), by, state.now);
  if (made.ledger.size() > kMostLedgerEntries) {
    std::ranges::stable_sort(made.ledger, {}, &LedgerEntry::time);
    const auto surplus = static_cast<std::ptrdiff_t>(made.ledger.size() - kMostLedgerEntries);
    made.ledger.erase(made.ledger.begin(), made.ledger.begin() + surplus);
  }
  return made;
}

Ledger refunded(Ledger ledger, std::string_view uid, std::string_view by) {
  std::erase_if(ledger, [&](const LedgerEntry& each) { return each.uid == uid && each.by == by; });
  return ledger;
}

}  // namespace elbowroom::policy
