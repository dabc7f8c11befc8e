#include "cluster/debit_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace elbowroom::cluster {
namespace {

using policy::DisruptionBudget;
using policy::Ledger;
using policy::LedgerEntry;
using policy::Pod;

const LedgerEntry* find(const Ledger& ledger, std::string_view uid) {
  const auto at = std::ranges::find(ledger, uid, &LedgerEntry::uid);
  return at == ledger.end() ? nullptr : &*at;
}

bool has(const Ledger& ledger, std::string_view uid, std::string_view by) {
  return std::ranges::any_of(
      ledger, [&](const LedgerEntry& each) { return each.uid == uid && each.by == by; });
}

// The server would give the same answer again.
bool is_final(const Error& error) {
  return error.code == Code::Denied || error.code == Code::Invalid || error.code == Code::NotFound;
}

}  // namespace

BudgetName name_of(const DisruptionBudget& budget) { return {budget.ns, budget.name, budget.uid}; }

std::string to_string(const BudgetName& budget) { return budget.ns + "/" + budget.name; }

// ---- what is wished ----

void DebitQueue::debit(const BudgetName& budget, Removal removal, std::vector<Pod> victims) {
  desks_[budget].waiting.push_back({.removal = removal, .victims = std::move(victims)});
}

void DebitQueue::take_back(Removal removal) {
  for (auto& [name, desk] : desks_) {
    std::erase_if(desk.waiting, [&](const Wish& wish) { return wish.removal == removal; });
    for (Wish& wish : desk.carried) wish.is_void = wish.is_void || wish.removal == removal;
  }
  const auto entered = entered_.find(removal);
  if (entered == entered_.end()) return;
  for (const auto& [name, uids] : entered->second) {
    desks_[name].refunds.insert(uids.begin(), uids.end());
  }
  entered_.erase(entered);
}

void DebitQueue::take_back(Removal removal, std::string_view uid) {
  const auto entered = entered_.find(removal);
  if (entered == entered_.end()) return;
  for (auto& [name, uids] : entered->second) {
    if (std::erase(uids, uid) > 0) desks_[name].refunds.emplace(uid);
  }
}

void DebitQueue::forget_all() {
  desks_.clear();
  entered_.clear();
  verdicts_.clear();
}

// ---- what is sent ----

std::vector<DebitQueue::Task> DebitQueue::take_tasks(const LedgerSight& sight) {
  std::vector<Task> tasks;
  std::map<std::string, std::size_t, std::less<>> in_flight;
  for (const auto& [name, desk] : desks_) {
    if (desk.is_busy) ++in_flight[name.ns];
  }
  for (const auto at : idle_desks()) {
    std::size_t& of_namespace = in_flight[at->first.ns];
    if (share_ != 0 && of_namespace >= share_) continue;
    if (auto task = next_task(at->first, at->second, sight)) {
      tasks.push_back(*std::move(task));
      at->second.turn = ++last_turn_;
      ++of_namespace;
    }
    drop_if_idle(at);
  }
  return tasks;
}

std::vector<DebitQueue::Desks::iterator> DebitQueue::idle_desks() {
  std::vector<Desks::iterator> idle;
  for (auto at = desks_.begin(); at != desks_.end(); ++at) {
    if (!at->second.is_busy) idle.push_back(at);
  }
  if (share_ != 0) std::ranges::stable_sort(idle, {}, [](auto at) { return at->second.turn; });
  return idle;
}

std::optional<DebitQueue::Task> DebitQueue::next_task(const BudgetName& name, Desk& desk,
                                                      const LedgerSight& sight) {
  const DisruptionBudget* watched = sight.budget(name);
  if (desk.ahead && watched != nullptr && watched->version == desk.ahead->version) {
    desk.ahead.reset();
  }
  if (desk.waiting.empty() && desk.refunds.empty()) return std::nullopt;
  if (watched == nullptr) {
    desk.hard = true;  // it is not known any more what it allows
    settle(name, desk, Error{Code::NotFound, "disruption budget " + to_string(name) + " is gone"});
    return std::nullopt;
  }
  if (desk.must_read) {
    desk.is_busy = true;
    return Read{name};
  }
  const DisruptionBudget& base = desk.ahead ? *desk.ahead : *watched;
  desk.hard = base.hard;
  // The pods that it covers are not counted yet.
  if (base.selector != watched->selector) {
    settle(
        name, desk,
        Error{Code::Conflict, "disruption budget " + to_string(name) + " has changed meanwhile"});
    return std::nullopt;
  }
  return write_of(name, desk, base, sight);
}

policy::Debit DebitQueue::decided(const policy::LedgerState& state, const Wish& wish) const {
  return is_wall(state.budget.hard) ? policy::debit(state, wish.victims, by_)
                                    : policy::debit_regardless(state, wish.victims, by_);
}

// Decides the wishes in their order, each beside those before it.
std::optional<DebitQueue::Task> DebitQueue::write_of(const BudgetName& name, Desk& desk,
                                                     const DisruptionBudget& base,
                                                     const LedgerSight& sight) {
  const std::vector<Pod> pods = sight.pods(base, base.recent);
  DisruptionBudget draft = base;
  for (const std::string& uid : desk.refunds) {
    if (has(draft.recent, uid, by_)) desk.refunded.insert(uid);
    draft.recent = policy::refunded(std::move(draft.recent), uid, by_);
  }
  const policy::Strength strength = sight.strength(base);
  std::vector<Pod> named = pods;  // those of the entries that are added, too
  for (Wish& wish : std::exchange(desk.waiting, {})) {
    const policy::LedgerState state{
        .budget = draft, .strength = strength, .pods = named, .now = sight.now};
    const policy::Debit made = decided(state, wish);
    if (!made.is_allowed) {
      verdicts_.push_back({.removal = wish.removal,
                           .budget = name,
                           .result = Result::Refused,
                           .allowed = made.allowed,
                           .next = made.next});
      continue;
    }
    for (const Pod& each : wish.victims) {
      const LedgerEntry* entry = find(made.ledger, each.uid);
      const LedgerEntry* before = find(draft.recent, each.uid);
      if (entry == nullptr) continue;  // it is not covered
      // An entry of another program, whose pod may be gone by now, is not ours to take back.
      if (before != nullptr) continue;
      wish.added.push_back(each.uid);
      named.push_back(each);
    }
    draft.recent = made.ledger;
    // Also where the entries are there by what we know: the version proves it.
    desk.carried.push_back(std::move(wish));
  }
  desk.refunds.clear();
  if (desk.carried.empty() && desk.refunded.empty()) {
    // The watch may have passed it by: what it shows is asked the next time.
    desk.ahead.reset();
    return std::nullopt;
  }
  draft.recent = policy::current_entries(
      {.budget = draft, .strength = strength, .pods = named, .now = sight.now});
  desk.is_busy = true;
  return Write{.budget = name, .version = base.version, .ledger = std::move(draft.recent)};
}

// ---- the answers ----

void DebitQueue::written(DisruptionBudget budget) {
  const auto at = desks_.find(name_of(budget));
  if (at == desks_.end() || !at->second.is_busy) return;
  Desk& desk = at->second;
  for (Wish& wish : std::exchange(desk.carried, {})) {
    counts_of(desk).debits += wish.added.size();
    if (wish.is_void) {
      desk.refunds.insert(wish.added.begin(), wish.added.end());
      continue;
    }
    auto& entered = entered_[wish.removal][at->first];
    entered.insert(entered.end(), wish.added.begin(), wish.added.end());
    verdicts_.push_back({.removal = wish.removal, .budget = at->first});
  }
  counts_of(desk).refunds += desk.refunded.size();
  desk.refunded.clear();
  desk.is_busy = false;
  desk.attempts = 0;
  desk.ahead = std::move(budget);
}

void DebitQueue::read(DisruptionBudget budget) {
  const auto at = desks_.find(name_of(budget));
  if (at == desks_.end() || !at->second.is_busy) return;
  at->second.is_busy = at->second.must_read = false;
  at->second.ahead = std::move(budget);
}

void DebitQueue::failed(const BudgetName& budget, const Error& error) {
  const auto at = desks_.find(budget);
  if (at == desks_.end() || !at->second.is_busy) return;
  Desk& desk = at->second;
  desk.is_busy = false;
  // The answer may have been lost, and the entries be there.
  for (Wish& wish : std::exchange(desk.carried, {})) {
    if (wish.is_void) {
      desk.refunds.insert(wish.added.begin(), wish.added.end());
    } else {
      wish.added.clear();
      desk.waiting.push_back(std::move(wish));
    }
  }
  desk.refunds.merge(std::exchange(desk.refunded, {}));
  if (error.code == Code::Conflict) ++counts_of(desk).conflicts;
  if (is_final(error) || ++desk.attempts >= kMostAttempts) {
    settle(budget, desk, error);
  } else {
    desk.must_read = true;
  }
}

// No more is tried. What is not taken back is refunded by the next program that writes the budget.
void DebitQueue::settle(const BudgetName& name, Desk& desk, const Error& error) {
  for (const Wish& wish : std::exchange(desk.waiting, {})) {
    verdicts_.push_back({.removal = wish.removal,
                         .budget = name,
                         .result = is_wall(desk.hard) ? Result::Failed : Result::Passed,
                         .error = error});
  }
  desk.refunds.clear();
  desk.ahead.reset();
  desk.must_read = false;
  desk.attempts = 0;
}

void DebitQueue::drop_if_idle(Desks::iterator at) {
  const Desk& desk = at->second;
  if (!desk.is_busy && !desk.ahead && desk.waiting.empty() && desk.refunds.empty()) {
    desks_.erase(at);
  }
}

std::vector<DebitQueue::Verdict> DebitQueue::take_verdicts() {
  return std::exchange(verdicts_, {});
}

}  // namespace elbowroom::cluster
