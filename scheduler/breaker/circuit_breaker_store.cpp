#include "scheduler/breaker/circuit_breaker_store.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"

namespace elbowroom::scheduler {
namespace {

// No more than the text may hold: a line has at least fifty characters.
constexpr std::size_t kMostSets = kMostRecordBytes / 50;

bool is_same(const CountedSet& one, const CountedSet& other) {
  return one.preemptor == other.preemptor && one.node == other.node &&
         std::ranges::find_first_of(one.victims, other.victims) != one.victims.end();
}

}  // namespace

// A set that was never stored was not removed.
void CircuitBreakerStore::begin() {
  for (std::size_t i = record_.sets.size(); i-- > 0;) {
    if (!is_kept(numbers_[i])) erase(i);
  }
  is_known_ = has_looked_ = has_read_ = is_asking_ = false;
  changed_ = written_;
  not_before_ = Time(0);
  failures_ = 0;
  trouble_.clear();
}

std::optional<CircuitBreakerStore::Asked> CircuitBreakerStore::step(Time now, policy::Time date) {
  if (!next() || now < not_before_) return std::nullopt;
  is_asking_ = true;
  if (!is_known_) return ReadBreaker{};
  forget_oldest(date);
  sent_ = changed_;
  paced_ = std::max(paced_, now) + kEach;
  not_before_ = paced_ - kAhead;
  WriteBreaker write{.stored = stored_.value_or(StoredBreaker{})};
  write.stored.text = record_text(record_);
  return write;
}

std::optional<CircuitBreakerStore::Time> CircuitBreakerStore::next() const {
  const bool has_something = !is_known_ || changed_ > written_;
  return has_something && !is_asking_ ? std::optional(not_before_) : std::nullopt;
}

void CircuitBreakerStore::read(const std::optional<StoredBreaker>& stored, bool may_be_missing,
                               policy::Time date) {
  is_asking_ = false;
  is_known_ = has_looked_ = true;
  const bool is_first = !std::exchange(has_read_, true);
  stored_ = stored;
  if (stored_) stored_->text.clear();
  const auto found = stored ? parse_record(stored->text) : CircuitBreakerRecord{};
  if (found && (stored || may_be_missing)) {
    take_in(*found, is_first);
  } else if (is_first) {
    record_.whole_since = std::max(record_.whole_since, date);
  }
  if (!stored || !found) changed_ = ++last_;
  if (changed_ != written_) return;
  failures_ = 0;
  trouble_.clear();
}

// The successors of our earlier leadership have everything it stored.
void CircuitBreakerStore::take_in(const CircuitBreakerRecord& stored, bool is_first) {
  if (is_first) {
    record_ = stored;
    numbers_.assign(record_.sets.size(), 0);
    return;
  }
  record_.whole_since = std::max(record_.whole_since, stored.whole_since);
  for (const CountedSet& each : stored.sets) {
    const bool is_known = std::ranges::any_of(
        record_.sets, [&](const CountedSet& known) { return is_same(known, each); });
    if (is_known) continue;
    const auto place = std::ranges::upper_bound(record_.sets, each.at, {}, &CountedSet::at);
    numbers_.insert(numbers_.begin() + (place - record_.sets.begin()), 0);
    record_.sets.insert(place, each);
  }
}

void CircuitBreakerStore::written(const std::optional<StoredBreaker>& stored) {
  is_asking_ = false;
  if (stored) {
    stored_ = stored;
    stored_->text.clear();
  }
  written_ = std::max(written_, sent_);
  failures_ = 0;
  trouble_.clear();
}

// The outcome is unknown, or another writer was faster: the record is read before the next write.
void CircuitBreakerStore::failed(const Error& error, Time now) {
  is_asking_ = is_known_ = false;
  has_looked_ = true;
  const bool is_other = error.code == Code::Conflict || error.code == Code::NotFound;
  if (is_other && failures_ == 0) {
    ++failures_;
    not_before_ = now;
    return;
  }
  trouble_ = error.message;
  const Time wait = backoff_delay(kFirstBackoff, kLongestBackoff, failures_++);
  not_before_ = now + std::max(wait, std::min(error.retry_after, kLongestBackoff));
}

CircuitBreakerStore::Number CircuitBreakerStore::add(std::string_view preemptor_uid,
                                                     std::string_view node,
                                                     std::span<const std::string> victim_uids,
                                                     policy::Time date) {
  CountedSet set{.at = date, .preemptor = short_name(preemptor_uid), .node = short_name(node)};
  for (const std::string& uid : victim_uids) set.victims.push_back(short_name(uid));
  record_.sets.push_back(std::move(set));
  changed_ = ++last_;
  numbers_.push_back(changed_);
  return changed_;
}

void CircuitBreakerStore::goes(Number set, policy::Time date) {
  const auto number = std::ranges::find(numbers_, set);
  if (set == 0 || number == numbers_.end()) return;
  policy::Time& at = record_.sets[static_cast<std::size_t>(number - numbers_.begin())].at;
  const bool is_later =
      std::chrono::ceil<std::chrono::seconds>(date) > std::chrono::ceil<std::chrono::seconds>(at);
  at = std::max(at, date);
  if (is_later) changed_ = ++last_;
}

void CircuitBreakerStore::take_back(Number set) {
  const auto number = std::ranges::find(numbers_, set);
  if (set == 0 || number == numbers_.end()) return;
  erase(static_cast<std::size_t>(number - numbers_.begin()));
  changed_ = ++last_;
}

void CircuitBreakerStore::take_back(std::string_view node, std::string_view victim_uid) {
  const std::string where = short_name(node);
  const std::string victim = short_name(victim_uid);
  for (std::size_t i = record_.sets.size(); i-- > 0;) {
    CountedSet& set = record_.sets[i];
    if (set.node != where || std::erase(set.victims, victim) == 0) continue;
    changed_ = ++last_;
    if (set.victims.empty()) erase(i);
  }
}

void CircuitBreakerStore::erase(std::size_t index) {
  const auto at = static_cast<std::ptrdiff_t>(index);
  record_.sets.erase(record_.sets.begin() + at);
  numbers_.erase(numbers_.begin() + at);
}

void CircuitBreakerStore::forget_oldest(policy::Time date) {
  std::size_t old = 0;
  while (old < record_.sets.size()) {
    const CountedSet& set = record_.sets[old];
    const bool is_over = set.at + window_ <= date;
    if (!is_over && record_.sets.size() - old <= kMostSets) break;
    if (!is_over) record_.whole_since = std::max(record_.whole_since, set.at);
    ++old;
  }
  const auto count = static_cast<std::ptrdiff_t>(old);
  record_.sets.erase(record_.sets.begin(), record_.sets.begin() + count);
  numbers_.erase(numbers_.begin(), numbers_.begin() + count);
  if (record_.whole_since + window_ <= date) record_.whole_since = {};
}

}  // namespace elbowroom::scheduler
