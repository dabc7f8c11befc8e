#include "scheduler/removal/mark_clearer.h"

#include <algorithm>
#include <vector>

#include "control/jitter.h"

namespace elbowroom::scheduler {

void MarkClearer::clear_stale() {
  const std::vector<std::string> marked = state_.marks.take_doubtful(state_.time());
  if (options_.dry_run) return;
  for (const std::string& key : marked) clear_if_stale(key);
}

void MarkClearer::clear_if_stale(const std::string& key) {
  const VictimMark& mark = *state_.marks.find(key);
  if (mark.is_clearing || mark.not_before > state_.time()) return;
  if (state_.removals.is_on(mark.node) || state_.cluster.is_assumed(key)) return;
  const bool is_removable = !state_.cluster.refusals().holds(mark.uid, state_.time());
  if (is_removable && state_.waiting.needs(mark.mark, mark.node, mark.goes_with_others)) return;
  const auto pod = state_.cluster.snapshot().pod(key);
  if (!pod) return;
  if (is_removable && mark.goes_with_others && rest_.has_begun(mark, *pod)) {
    return rest_.follow(key, *pod);
  }
  state_.marks.clearing(key);
  state_.marks.taken_back(pod->uid);
  state_.outbox.emit(MarkVictim{.victim = victim_of(*pod), .clear = true}, state_.fence(),
                     StaleMark{key});
}

void MarkClearer::not_cleared(const std::string& key, const Error& error) {
  const VictimMark* mark = state_.marks.find(key);
  if (mark == nullptr) return;
  const auto wish = std::min(error.retry_after, Queue::kLongestServerDelay);
  const auto wait = std::max(Queue::kLongestBackoff, wish);
  state_.marks.not_cleared(key, state_.time() + control::with_jitter(wait, key, mark->failures));
}

}  // namespace elbowroom::scheduler
