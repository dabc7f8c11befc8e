#include "rescheduler/budget_keeper.h"

#include <algorithm>
#include <utility>

namespace elbowroom::rescheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// For one budget.
constexpr seconds kBetweenWrites{1};
// A write that the watch does not show was of no effect, or the watch is late: it is tried again,
// each time after twice as long.
constexpr seconds kShownWithin{10};
constexpr seconds kLongestBackoff{60};
constexpr int kMostDoublings = 6;

// Between two observations, so that what happens is not heard of late.
constexpr std::size_t kLooksAtOnce = 64;
// In flight to the API server; other calls pass beside them.
constexpr std::size_t kWritesAtOnce = 32;

milliseconds backoff(int failures) {
  return std::min<milliseconds>(seconds(1 << std::min(failures, kMostDoublings)), kLongestBackoff);
}

}  // namespace

void BudgetKeeper::look_at(const ClusterState::Keys& budgets, Time now) {
  for (const std::string& each : budgets) due_.bring_forward(each, now);
}

void BudgetKeeper::look_at_all(Time now) {
  look_at(cluster_.budgets(), now);
  for (auto& [key, writing] : writings_) writing.reported.clear();
  for (const auto& [key, why] : cluster_.odd_budgets()) due_.bring_forward(key, now);
}

void BudgetKeeper::work(const Turn& turn) {
  for (std::size_t looks = 0; looks < kLooksAtOnce && outbox_.writes() < kWritesAtOnce; ++looks) {
    const auto key = due_.take_one(turn.now);
    if (!key) return;
    look(*key, turn);
  }
}

std::optional<BudgetKeeper::Time> BudgetKeeper::next() const {
  // An answer wakes it.
  if (outbox_.writes() >= kWritesAtOnce) return std::nullopt;
  return due_.next();
}

policy::BudgetKeeping BudgetKeeper::keeping(const ClusterState& cluster,
                                            const policy::DisruptionBudget& budget,
                                            policy::Time server) {
  const auto pods = cluster.pods_for(budget);
  return policy::keeping_of({.budget = budget,
                             .strength = cluster.snapshot().strength_over(budget),
                             .pods = pods,
                             .now = std::chrono::floor<seconds>(server)});
}

std::optional<BudgetKeeper::Time> BudgetKeeper::may_look(const Writing& writing,
                                                         const std::string& version, Time now) {
  if (writing.in_flight) return std::nullopt;
  if (writing.version == version && now < writing.shown_by) return writing.shown_by;
  return std::max(now, writing.not_before);
}

void BudgetKeeper::look(const std::string& key, const Turn& turn) {
  const policy::DisruptionBudget* budget = cluster_.budget(key);
  if (budget == nullptr) return look_at_odd(key, turn);
  if (const auto known = writings_.find(key); known != writings_.end()) {
    known->second.reported.clear();
    if (known->second.version != budget->version) known->second.unshown = 0;
    const auto at = may_look(known->second, budget->version, turn.now);
    if (!at) return;
    if (*at > turn.now) return due_.set(key, *at);
  }
  policy::BudgetKeeping made = keeping(cluster_, *budget, turn.server);
  if (made.look_again) {
    const auto later = std::chrono::ceil<milliseconds>(*made.look_again - turn.server);
    due_.set(key, turn.now + std::max<milliseconds>(later, kBetweenWrites));
  }
  if (!made.is_due || turn.dry_run) return;
  Writing& writing = writings_[key];
  writing.not_before = turn.now + kBetweenWrites;
  writing.in_flight = true;
  writing.version = budget->version;
  writing.refunded = made.refunded;
  writing.entered = made.entered;
  outbox_.emit(WriteBudget{.budget = {.ns = budget->ns, .name = budget->name, .uid = budget->uid},
                           .version = budget->version,
                           .status = std::move(made.status),
                           .ledger = std::move(made.ledger)},
               turn.fence, StatusWrite{key});
}

void BudgetKeeper::look_at_odd(const std::string& key, const Turn& turn) {
  const auto odd = cluster_.odd_budgets().find(key);
  if (odd == cluster_.odd_budgets().end()) {
    writings_.erase(key);
    return;
  }
  if (turn.dry_run) return;
  Writing& writing = writings_[key];
  if (writing.in_flight || writing.reported == odd->second) return;
  if (turn.now < writing.not_before) return due_.set(key, writing.not_before);
  writing = {.not_before = turn.now + kBetweenWrites,
             .in_flight = true,
             .failures = writing.failures,
             .reported = odd->second};
  outbox_.emit(ReportOdd{.budget = key, .why = odd->second, .now = turn.server}, turn.fence,
               StatusWrite{key});
}

void BudgetKeeper::wait_for_watch(const std::string& budget, Writing& writing, Time now) {
  writing.in_flight = false;
  writing.failures = 0;
  writing.shown_by = now + kShownWithin * (1 << std::min(writing.unshown++, kMostDoublings));
  // The watch may have shown it before the answer came.
  due_.bring_forward(budget, now);
}

void BudgetKeeper::written(const std::string& budget, Time now) {
  trouble_.clear();
  const auto at = writings_.find(budget);
  const bool is_report = at != writings_.end() && !at->second.reported.empty();
  if (!is_report) ++counts_.written;
  if (at == writings_.end()) return;
  counts_.refunded += at->second.refunded;
  counts_.entered += at->second.entered;
  wait_for_watch(budget, at->second, now);
}

void BudgetKeeper::not_written(const std::string& budget, const Error& error, Time now) {
  const bool is_conflict = error.code == Code::Conflict;
  ++(is_conflict ? counts_.conflicts : counts_.failed);
  // A budget that is gone, and its kind, are not missed.
  const bool is_gone = error.code == Code::NotFound;
  if (!is_conflict && !is_gone) trouble_ = "disruption budget " + budget + ": " + error.message;
  const auto at = writings_.find(budget);
  if (at == writings_.end()) return;
  Writing& writing = at->second;
  const bool was_odd = !std::exchange(writing.reported, {}).empty();
  // What was read for an odd one was new, so that the watch is not waited for.
  if (!was_odd && (is_conflict || is_gone)) return wait_for_watch(budget, writing, now);
  writing.in_flight = false;
  writing.shown_by = Time(0);
  writing.not_before =
      now + std::max<milliseconds>(backoff(writing.failures++),
                                   std::min<milliseconds>(error.retry_after, kLongestBackoff));
  due_.set(budget, writing.not_before);
}

}  // namespace elbowroom::rescheduler
