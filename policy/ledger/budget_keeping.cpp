#include "policy/ledger/budget_keeping.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "policy/model/condition.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

// Clocks of API servers differ; more than that is nobody's clock.
constexpr std::chrono::minutes kClocksDiffer{1};

// More is taken for that much.
constexpr std::chrono::seconds kLongestGrace{std::chrono::years(10)};

bool has_uid(const Ledger& ledger, std::string_view uid) {
  return std::ranges::find(ledger, uid, &LedgerEntry::uid) != ledger.end();
}

// The pod is there, and does not go.
bool lives_on(const LedgerState& state, std::string_view uid) {
  const auto pod = std::ranges::find(state.pods, uid, &Pod::uid);
  return pod != state.pods.end() && !is_terminating(*pod) &&
         !has_true(pod->conditions, kDisruptionTarget);
}

// When its grace period began, as far as it says so.
Time left_at(const Pod& pod, Time now) {
  if (!pod.deletion) return now;
  const std::chrono::seconds grace(
      std::clamp<std::int64_t>(pod.deletion_grace_seconds, 0, kLongestGrace.count()));
  return std::min(now, *pod.deletion - grace);
}

LedgerEntry entry_of(const Pod& pod, Time now) {
  const Condition* target = find_condition(pod.conditions, kDisruptionTarget);
  return {.pod = pod.name,
          .uid = pod.uid,
          .time = left_at(pod, now),
          .by = target != nullptr ? target->reason : std::string()};
}

// It was not Ready before it began to terminate, and no charge was due for it.
bool was_spared(const LedgerState& state, const Ledger& ledger, const Pod& pod) {
  const Condition* ready = find_condition(pod.conditions, kReady);
  if (ready == nullptr || ready->status == "True" || !ready->last_transition) return false;
  return *ready->last_transition <= left_at(pod, state.now) &&
         spares_unhealthy(state.budget, strength_beside(state, ledger));
}

// Returns how many were entered. Of a ledger that is full the rate allows nothing anyway.
std::size_t enter_leavers(const LedgerState& state, Ledger& ledger) {
  std::size_t entered = 0;
  for (const Pod& pod : state.pods) {
    if (ledger.size() >= kMostLedgerEntries) break;
    if (!goes_disrupted(pod) || !is_covered(state.budget, pod)) continue;
    if (has_uid(state.budget.recent, pod.uid) || has_uid(ledger, pod.uid)) continue;
    if (was_spared(state, ledger, pod)) continue;
    LedgerEntry entry = entry_of(pod, state.now);
    if (!is_current(state, entry)) continue;
    ledger.push_back(std::move(entry));
    ++entered;
  }
  return entered;
}

// It counts no more, and stays: as long as its pod goes, which would be entered again; and where it
// is too old for the rate by our reading of the server's clock, which may be ahead by some seconds.
bool lingers(const LedgerState& state, const LedgerEntry& entry) {
  const auto pod = std::ranges::find(state.pods, entry.uid, &Pod::uid);
  if (pod != state.pods.end()) return goes_disrupted(*pod);
  if (!state.budget.rate_disruptions) return false;
  const auto age = state.now - entry.time;
  return age >= state.budget.rate_per && age < state.budget.rate_per + kClocksDiffer;
}

// The entries to store: those that count, and those that linger, as far as there is space.
Ledger stored_entries(const LedgerState& state, const Ledger& current) {
  std::size_t space = kMostLedgerEntries - std::min(current.size(), kMostLedgerEntries);
  Ledger stored;
  auto next = current.begin();
  for (const LedgerEntry& each : state.budget.recent) {
    if (next != current.end() && *next == each) {
      stored.push_back(*next++);
    } else if (space > 0 && lingers(state, each) && !has_uid(current, each.uid) &&
               !has_uid(stored, each.uid)) {
      stored.push_back(each);
      --space;
    }
  }
  stored.insert(stored.end(), next, current.end());
  return stored;
}

// Dropped because its pod lives on, not because it has become old or stands there twice.
std::size_t refunds(const LedgerState& state, const Ledger& current) {
  return static_cast<std::size_t>(
      std::ranges::count_if(state.budget.recent, [&](const LedgerEntry& each) {
        return lives_on(state, each.uid) && !has_uid(current, each.uid);
      }));
}

// The time of a condition that says the same as before stays.
void set(Conditions& conditions, Condition condition, Time now) {
  const auto at = std::ranges::find(conditions, condition.type, &Condition::type);
  if (at == conditions.end()) {
    condition.last_transition = now;
    conditions.push_back(std::move(condition));
    return;
  }
  const bool is_same = at->status == condition.status && at->last_transition;
  condition.last_transition = is_same ? *at->last_transition : now;
  *at = std::move(condition);
}

// The API server takes no status with such a condition in it. Source: meta/v1 Condition.
bool is_refused(const Condition& condition) {
  return condition.reason.empty() || !condition.last_transition;
}

Condition observed(const DisruptionBudget& budget) {
  Condition made{.type = std::string(kBudgetObserved),
                 .status = "True",
                 .reason = std::string(kReasonUnderstood),
                 .observed_generation = budget.generation};
  if (!budget.selector) {
    made.reason = kReasonNoSelector;
    made.message = "without a selector it covers no pod";
  }
  return made;
}

Condition allowed_condition(const DisruptionBudget& budget, const Allowance& is,
                            const Ledger& ledger) {
  Condition made{.type = std::string(kDisruptionAllowed),
                 .status = is.allowed > 0 ? "True" : "False",
                 .reason = std::string(kReasonSufficientPods),
                 .observed_generation = budget.generation};
  if (is.allowed > 0) return made;
  if (ledger.size() >= kMostLedgerEntries) {
    made.reason = kReasonLedgerFull;
    made.message = "recentDisruptions is full";
  } else if (is.next || budget.rate_disruptions == 0) {
    made.reason = kReasonRateExhausted;
    made.message = "the rate allows no more now";
  } else {
    made.reason = kReasonInsufficientPods;
    made.message = "no more pods are healthy than must stay so";
  }
  return made;
}

bool is_due(const DisruptionBudget& known, const BudgetKeeping& made, Time now) {
  BudgetStatus same_time = made.status;
  same_time.observed_time = known.status.observed_time;
  if (!known.status.observed_time || same_time != known.status || made.ledger != known.recent) {
    return true;
  }
  if (!known.hard) return false;
  const Time seen = *known.status.observed_time;
  return now - seen >= kStatusRenewed || seen - now > kClocksDiffer;
}

std::optional<Time> look_again(const LedgerState& state, const BudgetKeeping& made) {
  std::optional<Time> next;
  const auto consider = [&](Time at) {
    if (at > state.now) next = std::min(next.value_or(at), at);
  };
  for (const LedgerEntry& each : made.ledger) {
    consider(each.time + kTimeToRemove);
    if (!state.budget.rate_disruptions) continue;
    consider(each.time + state.budget.rate_per);
    consider(each.time + state.budget.rate_per + kClocksDiffer);
  }
  if (!state.budget.hard) return next;
  const Time seen = made.is_due ? state.now : state.budget.status.observed_time.value_or(state.now);
  consider(seen + kStatusRenewed);
  return next;
}

}  // namespace

Conditions updated_conditions(Conditions known, std::initializer_list<Condition> said, Time now) {
  std::erase_if(known, is_refused);
  for (const Condition& each : said) set(known, each, now);
  return known;
}

bool goes_disrupted(const Pod& pod) {
  return is_terminating(pod) && has_true(pod.conditions, kDisruptionTarget);
}

BudgetKeeping keeping_of(const LedgerState& state) {
  const DisruptionBudget& budget = state.budget;
  BudgetKeeping made;
  Ledger current = current_entries(state);
  made.refunded = refunds(state, current);
  made.entered = enter_leavers(state, current);
  made.ledger = stored_entries(state, current);
  const Allowance is = allowance(state, current);
  made.status = {.expected_pods = state.strength.expected(),
                 .current_healthy = std::max<std::int64_t>(is.healthy, 0),
                 .desired_healthy = desired_healthy(budget, state.strength.expected()),
                 .disruptions_allowed = is.allowed,
                 .next_allowed_time = is.next,
                 .observed_time = state.now,
                 .observed_generation = budget.generation,
                 .conditions = budget.status.conditions};
  made.status.conditions =
      updated_conditions(std::move(made.status.conditions),
                         {observed(budget), allowed_condition(budget, is, current)}, state.now);
  made.is_due = is_due(budget, made, state.now);
  made.look_again = look_again(state, made);
  return made;
}

}  // namespace elbowroom::policy
