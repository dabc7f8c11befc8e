#include "test/simulation/kept_checkpoint.h"

#include <algorithm>
#include <utility>

namespace elbowroom::test {

void KeptCheckpoint::performing(const agent::Effect& effect) {
  const auto* save = std::get_if<agent::SaveCheckpoint>(&effect.what);
  if (save == nullptr) return;
  under_way_[effect.id] = save->checkpoint;
  perhaps_.push_back(save->checkpoint);
}

void KeptCheckpoint::observed(const agent::Observation& seen) {
  is_readable_ = true;
  const auto* done = std::get_if<agent::Done>(&seen.what);
  const auto save = done == nullptr ? under_way_.end() : under_way_.find(done->effect);
  if (save == under_way_.end()) return;
  durable_ = std::move(save->second);
  under_way_.clear();
  perhaps_.clear();
  is_known_ = true;
}

std::string KeptCheckpoint::restored(const agent::Restored& restored) {
  under_way_.clear();  // ids begin again
  const bool is_kept = restored.checkpoint == durable_ ||
                       std::ranges::find(perhaps_, restored.checkpoint) != perhaps_.end();
  const bool is_wrong = is_known_ && is_readable_ && (restored.rebuilt || !is_kept);
  durable_ = restored.checkpoint;
  perhaps_.clear();
  // The file is moved aside, and its place is empty until the next save.
  is_known_ = !restored.rebuilt;
  if (!is_wrong) return "";
  return "starts without what was durable" +
         (restored.trouble.empty() ? "" : " (" + restored.trouble + ")");
}

}  // namespace elbowroom::test
