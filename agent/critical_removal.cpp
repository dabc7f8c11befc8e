#include "agent/critical_removal.h"

#include <cassert>
#include <utility>

namespace elbowroom::agent {

bool CriticalRemoval::allowed(const std::string& preemptor_uid, std::size_t victims,
                              std::chrono::milliseconds now) const {
  int sets = 0;
  std::size_t pods = victims;
  for (const Removed& each : removed_) {
    if (now - each.at >= kWindow) continue;
    pods += each.victims;
    if (each.preemptor_uid == preemptor_uid) ++sets;
  }
  return sets < kMostSetsPerPod && pods <= static_cast<std::size_t>(kMostPodsPerNode);
}

void CriticalRemoval::begin(RemovalIntent intent, std::vector<MarkVictim> marks) {
  assert(!busy());
  intent_ = std::move(intent);
  marks_ = std::move(marks);
  refused_ = false;
  stage_ = Stage::Saving;
}

void CriticalRemoval::intent_saved(bool durable, std::chrono::milliseconds now) {
  if (stage_ != Stage::Saving) return;
  if (!durable) {
    stage_ = Stage::Idle;
    intent_.reset();
    return;
  }
  while (!removed_.empty() && now - removed_.front().at >= kWindow) removed_.pop_front();
  saved_at_ = now;
  fill(Stage::Marking);
}

void CriticalRemoval::fill(Stage stage) {
  stage_ = stage;
  waiting_.clear();
  switch (stage) {
    case Stage::Marking:
      waiting_.assign(marks_.begin(), marks_.end());
      break;
    case Stage::Checking:
      for (const Victim& victim : intent_->victims)
        waiting_.emplace_back(DeleteVictim{victim, true});
      break;
    case Stage::Deleting:
      // Only now somebody goes, so only now the breaker counts it.
      removed_.push_back({saved_at_, intent_->preemptor_uid, intent_->victims.size()});
      for (const Victim& victim : intent_->victims)
        waiting_.emplace_back(DeleteVictim{victim, false});
      break;
    case Stage::Clearing:
      for (MarkVictim mark : marks_) {
        mark.clear = true;
        waiting_.emplace_back(std::move(mark));
      }
      break;
    case Stage::Idle:
    case Stage::Saving:
      break;
  }
}

std::vector<CriticalRemoval::Step> CriticalRemoval::take_steps() {
  outstanding_ += waiting_.size();
  return std::exchange(waiting_, {});
}

void CriticalRemoval::finished(bool ok) {
  assert(outstanding_ > 0);
  --outstanding_;
  refused_ = refused_ || !ok;
  if (outstanding_ == 0 && waiting_.empty()) advance();
}

void CriticalRemoval::advance() {
  switch (stage_) {
    case Stage::Marking:
      if (refused_) return fill(Stage::Clearing);
      return fill(intent_->victims.size() >= 2 ? Stage::Checking : Stage::Deleting);
    case Stage::Checking:
      return fill(refused_ ? Stage::Clearing : Stage::Deleting);
    case Stage::Deleting:
    case Stage::Clearing:
      // A delete that failed is not repeated here: the fit is judged again, with whoever is left.
      ended_refused_ = stage_ == Stage::Clearing;
      stage_ = Stage::Idle;
      intent_.reset();
      marks_.clear();
      return;
    case Stage::Idle:
    case Stage::Saving:
      return;
  }
}

}  // namespace elbowroom::agent
