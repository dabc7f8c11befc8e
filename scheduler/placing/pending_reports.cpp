#include "scheduler/placing/pending_reports.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"

namespace elbowroom::scheduler {
namespace {

constexpr std::string_view kPodScheduled = "PodScheduled";

}  // namespace

void PendingReports::tell_unplaced(const std::string& key, Waiting& pod, const policy::Pod& seen,
                                   std::string_view reason, const policy::PodText& message,
                                   std::optional<std::string> nominated) {
  const std::string words = std::string(reason) + ": " + message.on_pod();
  std::optional<policy::Condition> condition;
  if (pod.written != words) {
    condition = policy::Condition{.type = std::string(kPodScheduled),
                                  .status = "False",
                                  .reason = std::string(reason),
                                  .message = message.on_pod(),
                                  .observed_generation = seen.generation,
                                  .last_transition = state_.now.wall};
    pod.written = words;
    if (reason == kUnschedulable) {
      turns_.say(named({.key = key, .uid = pod.uid}), EventReason::FailedScheduling, message);
    }
  }
  if (options_.dry_run) return;
  const auto owed = state_.cluster.assume_cache().take_unwritten(key, pod.uid);
  if (!nominated) nominated = owed;
  if (condition || nominated) write(victim_of(seen), std::move(condition), std::move(nominated));
}

void PendingReports::write(const Victim& pod, std::optional<policy::Condition> scheduled,
                           std::optional<std::string> nominated) {
  auto now = state_.cluster.pending_writes().add(
      {.pod = pod, .scheduled = std::move(scheduled), .nominated = std::move(nominated)});
  if (now) send(*std::move(now));
}

void PendingReports::send(WritePending write) {
  PendingWrite what{.pod = write.pod, .nominated = write.nominated};
  state_.outbox.emit(std::move(write), state_.fence(), std::move(what));
}

void PendingReports::written(const PendingWrite& what) {
  const std::string key = what.key();
  Waiting* pod = state_.waiting.find(key, what.pod.uid);
  if (pod != nullptr) pod->unwritten = 0;
  AssumeCache& assumed = state_.cluster.assume_cache();
  // Nothing is said any more of a pod that is being bound.
  const bool goes_on =
      pod != nullptr && state_.may_act() && assumed.bound_to(key, what.pod.uid).empty();
  auto next = state_.cluster.pending_writes().answered(what.pod, goes_on);
  if (!next) return assumed.all_written(key, what.pod.uid);
  if (goes_on) return send(*std::move(next));
  still_to_write(key, what.pod.uid, next->nominated);
}

// It is written again, with what has waited for it.
void PendingReports::not_written(const PendingWrite& what, const Error& error) {
  const std::string key = what.key();
  const auto next = state_.cluster.pending_writes().answered(what.pod, false);
  still_to_write(key, what.pod.uid, next && next->nominated ? next->nominated : what.nominated);
  Waiting* pod = state_.waiting.find(key, what.pod.uid);
  if (pod == nullptr) return;
  const Time usual =
      backoff_delay(Queue::kFirstBackoff, Queue::kLongestServerDelay, pod->unwritten++);
  const Time wait = std::min(std::max(usual, error.retry_after), Queue::kLongestServerDelay);
  state_.waiting.queue().look_by(state_.waiting.entry_of(key), state_.time() + wait);
}

// With the pod's next turn. The nomination is kept until then: victims may be terminating for it.
void PendingReports::still_to_write(const std::string& key, const std::string& uid,
                                    const std::optional<std::string>& nominated) {
  if (nominated) state_.cluster.assume_cache().not_written(key, uid, *nominated);
  if (Waiting* pod = state_.waiting.find(key, uid)) pod->written.clear();
}

}  // namespace elbowroom::scheduler
