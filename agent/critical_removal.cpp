#include "agent/critical_removal.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace elbowroom::agent {

bool CriticalRemoval::is_blind(std::chrono::milliseconds now) const {
  return progress_.blind_since && now - *progress_.blind_since < kWindow;
}

void CriticalRemoval::count_as_used(std::chrono::milliseconds now) {
  progress_.blind_since = now;
  progress_.blind_set_went = false;
}

bool CriticalRemoval::allowed(const std::string& preemptor_uid, std::size_t victims,
                              std::chrono::milliseconds now) const {
  if (is_blind(now) && progress_.blind_set_went) return false;
  int sets = 0;
  std::size_t pods = victims;
  for (const RemovalProgress::Removed& each : progress_.removed) {
    if (now - each.at >= kWindow) continue;
    pods += each.victims;
    if (each.preemptor_uid == preemptor_uid) ++sets;
  }
  return sets < kMostSetsPerPod && pods <= static_cast<std::size_t>(kMostPodsPerNode);
}

std::size_t CriticalRemoval::remaining(std::chrono::milliseconds now) const {
  if (is_blind(now) && progress_.blind_set_went) return 0;
  std::size_t gone = 0;
  for (const RemovalProgress::Removed& each : progress_.removed) {
    if (now - each.at < kWindow) gone += each.victims;
  }
  constexpr std::size_t kMost = kMostPodsPerNode;
  return gone < kMost ? kMost - gone : 0;
}

// The set counts before any pod is removed, so that the count is durable together with its intent.
void CriticalRemoval::begin(RemovalIntent intent, std::vector<MarkVictim> marks, bool again,
                            std::chrono::milliseconds now) {
  assert(!busy());
  RemovalProgress::Removed counted{now, intent.preemptor_uid, intent.victims.size(),
                                   intent.victims.empty() ? "" : intent.victims.front().uid};
  const auto before =
      std::find_if(progress_.removed.rbegin(), progress_.removed.rend(), [&](const auto& each) {
        const bool may_be_it = each.victim.empty() || each.victim == counted.victim;
        return each.preemptor_uid == counted.preemptor_uid && each.victims == counted.victims &&
               may_be_it;
      });
  if (again && before != progress_.removed.rend()) {
    counted.at = before->at;
    progress_.removed.erase(std::next(before).base());
  }
  progress_.removed.push_back(std::move(counted));
  progress_.blind_set_went = true;
  progress_.intent = std::move(intent);
  progress_.marks = std::move(marks);
  progress_.refused = false;
  progress_.stage = Stage::Saving;
}

void CriticalRemoval::intent_saved(bool durable, std::chrono::milliseconds now) {
  if (progress_.stage != Stage::Saving) return;
  if (!durable) {
    take_back_count();
    return end();
  }
  if (!progress_.removed.empty()) progress_.removed.back().at = now;
  while (!progress_.removed.empty() && now - progress_.removed.front().at >= kWindow)
    progress_.removed.pop_front();
  progress_.saved_at = now;
  fill(Stage::Marking);
}

// No pod was removed.
void CriticalRemoval::take_back_count() {
  if (!progress_.removed.empty()) progress_.removed.pop_back();
  progress_.blind_set_went = false;
}

void CriticalRemoval::end() {
  progress_.stage = Stage::Idle;
  progress_.intent.reset();
  progress_.marks.clear();
}

void CriticalRemoval::abandon() {
  progress_.waiting.clear();
  if (progress_.outstanding > 0) {
    progress_.refused = true;
  } else if (busy()) {
    end();
  }
}

void CriticalRemoval::fill(Stage stage) {
  progress_.stage = stage;
  progress_.waiting.clear();
  switch (stage) {
    case Stage::Marking:
      progress_.waiting.assign(progress_.marks.begin(), progress_.marks.end());
      break;
    case Stage::Checking:
      for (const Victim& victim : progress_.intent->victims)
        progress_.waiting.emplace_back(DeleteVictim{victim, true});
      break;
    case Stage::Deleting:
      for (const Victim& victim : progress_.intent->victims)
        progress_.waiting.emplace_back(DeleteVictim{victim, false});
      break;
    case Stage::Clearing:
      take_back_count();
      for (MarkVictim mark : progress_.marks) {
        mark.clear = true;
        progress_.waiting.emplace_back(std::move(mark));
      }
      break;
    case Stage::Idle:
    case Stage::Saving:
      break;
  }
}

std::vector<CriticalRemoval::Step> CriticalRemoval::take_steps() {
  progress_.outstanding += progress_.waiting.size();
  return std::exchange(progress_.waiting, {});
}

void CriticalRemoval::finished(bool ok) {
  assert(progress_.outstanding > 0);
  --progress_.outstanding;
  progress_.refused = progress_.refused || !ok;
  if (progress_.outstanding == 0 && progress_.waiting.empty()) advance();
}

void CriticalRemoval::advance() {
  switch (progress_.stage) {
    case Stage::Marking:
      if (progress_.refused) return fill(Stage::Clearing);
      return fill(progress_.intent->victims.size() >= 2 ? Stage::Checking : Stage::Deleting);
    case Stage::Checking:
      return fill(progress_.refused ? Stage::Clearing : Stage::Deleting);
    case Stage::Deleting:
    case Stage::Clearing:
      // A failed delete is not repeated here: the fit is judged again with the remaining pods.
      progress_.ended_refused = progress_.stage == Stage::Clearing;
      return end();
    case Stage::Idle:
    case Stage::Saving:
      return;
  }
}

}  // namespace elbowroom::agent
