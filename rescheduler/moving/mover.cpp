#include "rescheduler/moving/mover.h"

#include <algorithm>
#include <utility>

#include "api/codec/timestamp.h"
#include "control/listed.h"

namespace elbowroom::rescheduler {
namespace {

// Two programs write the same annotation so often in a row only by chance.
constexpr int kMostConflicts = 5;

Victim victim_of(const policy::Pod& pod) {
  return {.ns = pod.ns, .name = pod.name, .uid = pod.uid};
}

std::string words_of(const cluster::DebitQueue::Verdict& verdict) {
  const std::string budget = "budget " + cluster::to_string(verdict.budget);
  if (verdict.result == cluster::DebitQueue::Result::Failed) {
    return budget + ": it cannot be debited: " + verdict.error.message;
  }
  std::string words = budget + ": it allows " + std::to_string(verdict.allowed) +
                      (verdict.allowed == 1 ? " disruption now" : " disruptions now");
  if (verdict.next) words += ", and the next at " + api::format_timestamp(*verdict.next);
  return words;
}

}  // namespace

void Mover::start(std::vector<policy::Move> moves, std::chrono::seconds avoid_for) {
  avoid_for_ = avoid_for;
  for (policy::Move& each : moves) waiting_.push_back(std::move(each));
}

void Mover::forget_all() {
  waiting_.clear();
  moving_.clear();
  ends_.clear();
}

std::vector<MoveEnd> Mover::take_ends() { return std::exchange(ends_, {}); }

void Mover::work(const Turn& turn, const std::vector<cluster::DebitQueue::Verdict>& verdicts) {
  for (const auto& each : verdicts) take(each, turn);
  while (moving_.size() < kAtOnce && !waiting_.empty()) {
    policy::Move move = std::move(waiting_.front());
    waiting_.pop_front();
    begin(std::move(move), turn);
  }
}

// ---- the steps ----

void Mover::begin(policy::Move move, const Turn& turn) {
  auto pod = cluster_.snapshot().pod(move.pod);
  const bool is_there = pod && pod->uid == move.uid && pod->node == move.from && !pod->deletion;
  if (!is_there) {
    policy::Pod gone;
    const auto [ns, name] = control::name_parts(move.pod);
    gone.ns = ns;
    gone.name = name;
    gone.uid = move.uid;
    ends_.push_back({.move = std::move(move),
                     .pod = std::move(gone),
                     .result = MoveEnd::Result::Failed,
                     .why = "the pod is not there any more as it was"});
    return;
  }
  const std::string uid = move.uid;
  outbox_.emit(EvictPod{.pod = victim_of(*pod), .dry_run = true}, turn.fence, MoveStep{uid});
  moving_.emplace(uid, Moving{.move = std::move(move), .pod = *std::move(pod)});
}

void Mover::avoid(const Moving& moving, const Turn& turn) {
  outbox_.emit(AvoidNode{.pod = victim_of(moving.pod),
                         .node = moving.move.from,
                         .now = std::chrono::floor<std::chrono::seconds>(turn.server),
                         .lasts = avoid_for_},
               turn.fence, MoveStep{moving.move.uid});
}

void Mover::debit(Moving& moving, const Turn& turn) {
  moving.stage = Stage::Debiting;
  auto begun = ledgers_.debit(moving.pod);
  if (!begun) {
    return end(moving.move.uid, MoveEnd::Result::Blocked, begun.error().message, turn);
  }
  moving.removal = begun->removal;
  moving.debiting = std::move(begun->budgets);
  if (moving.debiting.empty()) evict(moving, turn);
}

void Mover::evict(Moving& moving, const Turn& turn) {
  moving.stage = Stage::Evicting;
  moving.asked = std::chrono::floor<std::chrono::seconds>(turn.server);
  outbox_.emit(EvictPod{.pod = victim_of(moving.pod)}, turn.fence, MoveStep{moving.move.uid});
}

// ---- the answers ----

void Mover::step_done(const MoveStep& step, const Turn& turn) {
  const auto at = moving_.find(step.uid);
  if (at == moving_.end()) return;
  Moving& moving = at->second;
  switch (moving.stage) {
    case Stage::Asking:
      moving.stage = Stage::Avoiding;
      return avoid(moving, turn);
    case Stage::Avoiding:
      moving.is_avoided = true;
      return debit(moving, turn);
    case Stage::Debiting:
      return;
    case Stage::Evicting:
      return end(step.uid, MoveEnd::Result::Evicted, "", turn);
  }
}

void Mover::step_failed(const MoveStep& step, const Error& error, const Turn& turn) {
  const auto at = moving_.find(step.uid);
  if (at == moving_.end()) return;
  Moving& moving = at->second;
  const bool may_retry = moving.stage == Stage::Avoiding && error.code == Code::Conflict &&
                         ++moving.conflicts < kMostConflicts;
  if (may_retry) return avoid(moving, turn);
  // Exhausted: a PodDisruptionBudget is in the way (rescheduler/effect.h), or others' entries are.
  const bool is_blocked = error.code == Code::Exhausted;
  const bool is_unknown = moving.stage == Stage::Evicting && error.code == Code::Unavailable;
  end(step.uid,
      is_unknown   ? MoveEnd::Result::Unknown
      : is_blocked ? MoveEnd::Result::Blocked
                   : MoveEnd::Result::Failed,
      error.message, turn);
}

void Mover::take(const cluster::DebitQueue::Verdict& verdict, const Turn& turn) {
  const auto at = std::ranges::find_if(moving_, [&](const auto& each) {
    return each.second.stage == Stage::Debiting && each.second.removal == verdict.removal;
  });
  if (at == moving_.end()) return;
  Moving& moving = at->second;
  moving.debiting.erase(verdict.budget);
  if (verdict.result != cluster::DebitQueue::Result::Entered) {
    return end(moving.move.uid, MoveEnd::Result::Blocked, words_of(verdict), turn);
  }
  if (moving.debiting.empty()) evict(moving, turn);
}

void Mover::end(const std::string& uid, MoveEnd::Result result, std::string why, const Turn& turn) {
  auto ended = moving_.extract(uid);
  Moving& moving = ended.mapped();
  const bool stays = result == MoveEnd::Result::Blocked || result == MoveEnd::Result::Failed;
  if (stays) {
    undo(moving, turn);
  } else if (moving.removal != 0) {
    ledgers_.keep(moving.removal);
  }
  ends_.push_back({.move = std::move(moving.move),
                   .pod = std::move(moving.pod),
                   .result = result,
                   .why = std::move(why),
                   .asked = moving.asked});
}

void Mover::undo(const Moving& moving, const Turn& turn) {
  if (moving.removal != 0) ledgers_.take_back(moving.removal);
  if (!moving.is_avoided) return;
  outbox_.emit(AllowNode{.pod_uid = moving.move.uid,
                         .node = moving.move.from,
                         .now = std::chrono::floor<std::chrono::seconds>(turn.server)},
               turn.fence, AllowWrite{});
}

}  // namespace elbowroom::rescheduler
