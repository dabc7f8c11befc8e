#include "agent/critical_removal.h"

#include <cassert>
#include <utility>

#include "base/seeded_bug.h"

namespace elbowroom::agent {

bool CriticalRemoval::allowed(const std::string& preemptor_uid, std::size_t victims,
                              std::chrono::milliseconds now) const {
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
  std::size_t gone = 0;
  for (const RemovalProgress::Removed& each : progress_.removed) {
    if (now - each.at < kWindow) gone += each.victims;
  }
  constexpr std::size_t kMost = kMostPodsPerNode;
  return gone < kMost ? kMost - gone : 0;
}

void CriticalRemoval::begin(RemovalIntent intent, std::vector<MarkVictim> marks) {
  assert(!busy());
  progress_.intent = std::move(intent);
  progress_.marks = std::move(marks);
  progress_.refused = false;
  progress_.stage = Stage::Saving;
}

void CriticalRemoval::intent_saved(bool durable, std::chrono::milliseconds now) {
  if (progress_.stage != Stage::Saving) return;
  if (!durable) {
    progress_.stage = Stage::Idle;
    progress_.intent.reset();
    return;
  }
  while (!progress_.removed.empty() && now - progress_.removed.front().at >= kWindow)
    progress_.removed.pop_front();
  progress_.saved_at = now;
  fill(Stage::Marking);
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
      // Only now somebody goes, so only now the breaker counts it.
      progress_.removed.push_back(
          {progress_.saved_at, progress_.intent->preemptor_uid, progress_.intent->victims.size()});
      for (const Victim& victim : progress_.intent->victims)
        progress_.waiting.emplace_back(DeleteVictim{victim, false});
      break;
    case Stage::Clearing:
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
      return fill(progress_.intent->victims.size() >= 2 && !seeded(SeededBug::SkipsDryRun)
                      ? Stage::Checking
                      : Stage::Deleting);
    case Stage::Checking:
      return fill(progress_.refused ? Stage::Clearing : Stage::Deleting);
    case Stage::Deleting:
    case Stage::Clearing:
      // A delete that failed is not repeated here: the fit is judged again, with whoever is left.
      progress_.ended_refused = progress_.stage == Stage::Clearing;
      progress_.stage = Stage::Idle;
      progress_.intent.reset();
      progress_.marks.clear();
      return;
    case Stage::Idle:
    case Stage::Saving:
      return;
  }
}

}  // namespace elbowroom::agent
