#include "rescheduler/moving/moves.h"

#include <algorithm>
#include <utility>

#include "control/listed.h"
#include "rescheduler/event_table.h"

namespace elbowroom::rescheduler {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

Victim victim_of(const std::string& pod, const std::string& uid) {
  auto [ns, name] = control::name_parts(pod);
  return {.ns = std::move(ns), .name = std::move(name), .uid = uid};
}

EmitEvent event_on(EventReason reason, Victim regarding, std::string note, bool log_only) {
  const EventRow& row = row_of(reason);
  return {.regarding = std::move(regarding),
          .warning = row.warning,
          .reason = std::string(row.reason),
          .action = std::string(row.action),
          .note = std::move(note),
          .log_only = log_only};
}

// After a record that was not to be claimed.
constexpr seconds kClaimAgain{5};

// "": none.
std::string others(std::size_t pods) {
  if (pods == 0) return {};
  return pods == 1 ? "; the same blocks 1 other pod"
                   : "; the same blocks " + std::to_string(pods) + " other pods";
}

std::size_t number_of(policy::MovePolicy policy) { return static_cast<std::size_t>(policy); }

}  // namespace

Moves::Moves(const ReactorOptions& options, ClusterState& cluster, Outbox& outbox, Ledgers& ledgers,
             Counts& counts)
    : cluster_(cluster),
      outbox_(outbox),
      ledgers_(ledgers),
      counts_(counts),
      has_no_past_(options.has_no_past),
      settings_(options.rules),
      mover_(cluster, outbox, ledgers),
      arrivals_(cluster),
      pass_(cluster, rests_, arrivals_) {}

// ---- what is seen ----

void Moves::saw_settings(const std::optional<ConfigText>& map) {
  const std::string refused = settings_.take(map);
  counts_.refused_settings = settings_.refused();
  if (refused.empty()) return;
  EmitEvent event =
      event_on(EventReason::ConfigurationRefused,
               {.ns = std::string(kConfigNamespace),
                .name = std::string(kSettingsName),
                .uid = settings_.uid()},
               "The configuration is refused, and the one before stays: " + refused, false);
  event.kind = control::Subject::ConfigMap;
  outbox_.emit(std::move(event));
}

void Moves::saw_rests(std::optional<ConfigText> map) {
  stored_ = std::move(map);
  if (!is_writing_) version_ = stored_ ? stored_->version : "";
}

// ---- a leadership ----

void Moves::begin(const Turn& turn) {
  end();
  recall(turn);
  is_claimed_ = has_no_past_;
  next_pass_ = turn.now;
}

void Moves::recall(const Turn& turn) {
  rests_ = OwnerRests();
  written_.clear();
  version_ = stored_ ? stored_->version : "";
  const std::string key(kRestsKey);
  const bool is_stored = stored_ && stored_->data.contains(key);
  const bool is_restored = is_stored && rests_.restore(stored_->data.at(key)).has_value();
  if (is_restored) {
    written_ = stored_->data.at(key);
  } else if (!has_no_past_) {
    rests_.forget(turn.server + settings_.rules().cool_down);
  }
}

// What the watch showed can be older than the last leader's last write. The record is written as it
// was seen: that fails where another one was written since, and fails the earlier leader's writes
// that are still on their way.
void Moves::claim(const Turn& turn) {
  recall(turn);
  next_pass_ = turn.now + kClaimAgain;
  store_rests(turn);
}

void Moves::end() {
  mover_.forget_all();
  arrivals_.forget_all();
  planned_.clear();
  before_.clear();
  told_.clear();
  refused_in_pass_.clear();
  last_ = {};
  rests_ = OwnerRests();
  written_.clear();
  is_writing_ = false;
  looked_at_ = 0;
}

void Moves::work(const Turn& turn) {
  while (true) {
    const std::size_t before = outbox_.moves();
    mover_.work(turn, ledgers_.follow(turn.server, turn.fence));
    auto ends = mover_.take_ends();
    for (MoveEnd& each : ends) take(std::move(each), turn);
    if (ends.empty() && outbox_.moves() == before) break;
  }
  const auto arrivals = arrivals_.take_arrivals(turn);
  for (const Arrival& each : arrivals) take(each, turn);
  // All that the pass has moved came to rest.
  const bool is_over = !arrivals.empty() && arrivals_.size() == 0 && mover_.is_idle();
  if (is_over && !is_writing_) store_rests(turn);
  const bool is_busy = !mover_.is_idle() || is_writing_ || !planned_.empty();
  if (settings_.version() != settings_seen_) {
    settings_seen_ = settings_.version();
    next_pass_ = turn.now;
  }
  if (turn.now >= next_pass_ && !is_busy && cluster_.unseen().empty()) make_pass(turn);
}

// What passes with time alone is looked at again: rests, rates and the hour's limits.
bool Moves::is_unchanged() const {
  return looked_at_ == cluster_.moves().version() + settings_.version() + 1 &&
         last_.moves.empty() && last_.blocked.empty();
}

void Moves::make_pass(const Turn& turn) {
  if (!is_claimed_ && !turn.dry_run && settings_.rules().is_on()) return claim(turn);
  next_pass_ = turn.now + settings_.rules().interval;
  rests_.advance(turn.server);
  ++counts_.passes;
  refused_in_pass_.clear();
  if (is_unchanged()) return;
  looked_at_ = rests_ == OwnerRests() ? cluster_.moves().version() + settings_.version() + 1 : 0;
  if (!settings_.rules().is_on()) {
    last_ = {};
    told_.clear();
    return;
  }
  if (rests_.all_rest_until(turn.server)) {
    last_ = {};
  } else {
    last_ = pass_.plan(settings_.rules(), turn.server);
  }
  tell_blocked(turn);
  std::vector<policy::Move> moves = last_.moves;
  const std::size_t space =
      OwnerRests::kMostOwners - std::min(rests_.owners(), OwnerRests::kMostOwners);
  if (moves.size() > space) moves.resize(space);
  if (turn.dry_run) {
    for (const policy::Move& each : moves) {
      tell_move(each, "Would be moved", true);
    }
    return;
  }
  carry_out(std::move(moves), turn);
}

// An owner rests before its pod is evicted, so that no later leader moves it again at once.
void Moves::carry_out(std::vector<policy::Move> moves, const Turn& turn) {
  for (const policy::Move& each : moves) {
    rests_.begin(each.owner, each.owner_name, settings_.rules().cool_down, turn.server);
    if (const auto load = arrivals_.load_of(each.from)) before_.insert_or_assign(each.uid, *load);
  }
  planned_ = std::move(moves);
  const bool is_news = !planned_.empty() || (rests_.text() != written_ && rests_ != OwnerRests());
  if (is_news) store_rests(turn);
}

void Moves::store_rests(const Turn& turn) {
  is_writing_ = true;
  // Of a leader that is lost meanwhile another one knows only this.
  OwnerRests stored = rests_;
  for (const policy::Move& each : planned_) stored.moved(each.from, turn.server);
  written_ = stored.text();
  outbox_.emit(WriteRests{.version = version_, .text = written_}, turn.fence, RestsWrite{});
}

void Moves::rests_written(const std::string& version) {
  is_writing_ = false;
  version_ = version;
  trouble_.clear();
  if (!std::exchange(is_claimed_, true)) next_pass_ = {};
  mover_.start(std::exchange(planned_, {}), settings_.rules().avoid_for);
}

void Moves::rests_not_written(const Error& error) {
  is_writing_ = false;
  written_.clear();
  version_ = stored_ ? stored_->version : "";
  trouble_ = "the rests of owners: " + error.message;
  ++counts_.failed_rests;
  for (const policy::Move& each : std::exchange(planned_, {})) {
    before_.erase(each.uid);
    rests_.drop(each.owner, {});
  }
}

// ---- what came of it ----

void Moves::take(MoveEnd ended, const Turn& turn) {
  using Result = MoveEnd::Result;
  MoveCounts& counts = counts_.moves.at(number_of(ended.move.policy));
  const auto before = before_.extract(ended.move.uid);
  switch (ended.result) {
    case Result::Evicted:
      ++counts.evicted;
      counts.promised += static_cast<std::uint64_t>(ended.move.gain);
      rests_.moved(ended.move.from, turn.server);
      tell_move(ended.move, "Moved", false);
      if (before) arrivals_.await(ended, before.mapped(), turn);
      return;
    case Result::Blocked:
      ++counts.blocked;
      told_[ended.move.uid] = ended.why;
      if (!refused_in_pass_.insert(ended.why).second) break;  // for the same budget
      outbox_.emit(event_on(EventReason::EvictionBlocked, victim_of(ended.move.pod, ended.move.uid),
                            "The move off node " + ended.move.from + " is blocked: " + ended.why,
                            false));
      break;
    case Result::Failed:
      ++counts.failed;
      break;
    case Result::Unknown:
      ++counts.unknown;
      rests_.moved(ended.move.from, turn.server);
      return;
  }
  rests_.drop(ended.move.owner, turn.server);
}

void Moves::take(const Arrival& arrival, const Turn& turn) {
  MoveCounts& counts = counts_.moves.at(number_of(arrival.move.policy));
  const bool was_vain = arrival.is_pending || arrival.came_back || arrival.gain < arrival.move.gain;
  if (arrival.is_pending) ++counts.pending;
  if (arrival.came_back) ++counts.came_back;
  if (arrival.gain > 0) counts.achieved += static_cast<std::uint64_t>(arrival.gain);
  rests_.end(arrival.move.owner, was_vain, settings_.rules().cool_down, turn.server);
}

// One event for all Pods that the same budgets block in a pass: on the first that was not reported.
void Moves::tell_blocked(const Turn& turn) {
  struct Reported {
    const policy::BlockedMove* first = nullptr;  // not reported before
    std::size_t pods = 0;
  };
  std::map<std::string, Reported> by_budgets;
  std::map<std::string, std::string> told;
  for (const policy::BlockedMove& each : last_.blocked) {
    Reported& reported = by_budgets[each.by];
    ++reported.pods;
    told.emplace(each.uid, each.by);
    const auto before = told_.find(each.uid);
    if (before != told_.end() && before->second == each.by) continue;
    ++counts_.moves.at(number_of(each.policy)).blocked;
    if (reported.first == nullptr) reported.first = &each;
  }
  for (const auto& [budgets, reported] : by_budgets) {
    if (reported.first == nullptr) continue;
    outbox_.emit(event_on(
        EventReason::EvictionBlocked, victim_of(reported.first->pod, reported.first->uid),
        "The pod would be moved, but for " + budgets + others(reported.pods - 1), turn.dry_run));
  }
  told_ = std::move(told);
}

// The owner of another kind is told nothing: its API version is not known.
void Moves::tell_move(const policy::Move& move, const std::string& note, bool log_only) {
  const Victim pod = victim_of(move.pod, move.uid);
  const std::string words = note + " off node " + move.from + " by " +
                            std::string(to_string(move.policy)) + ", to gain " +
                            std::to_string(move.gain) + " percent on node " + move.expected +
                            " or as good a one: " + move.why;
  outbox_.emit(event_on(EventReason::Rescheduled, pod, words, log_only));
  const policy::MoveOwner* owner = cluster_.moves().owner(move.owner);
  if (owner == nullptr || log_only) return;
  EmitEvent event =
      event_on(EventReason::Rescheduled, {.ns = owner->ns, .name = owner->name, .uid = owner->uid},
               "Pod " + pod.name + ": " + words, log_only);
  event.kind = owner->kind == "Deployment"    ? control::Subject::Deployment
               : owner->kind == "StatefulSet" ? control::Subject::StatefulSet
                                              : control::Subject::ReplicaSet;
  outbox_.emit(std::move(event));
}

std::optional<Moves::Time> Moves::next() const {
  std::optional<Time> next = arrivals_.next();
  // What is not seen yet, and what is under way, is answered without a wait.
  const bool may_pass = settings_.rules().is_on() && mover_.is_idle() && !is_writing_ &&
                        planned_.empty() && cluster_.unseen().empty();
  if (may_pass) next = std::min(next.value_or(next_pass_), next_pass_);
  return next;
}

}  // namespace elbowroom::rescheduler
