#include "policy/preemption/marked_pod.h"

#include <algorithm>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/removal_mark.h"

namespace elbowroom::policy {

std::vector<MarkedPod> marked_pods(std::span<const Pod> pods) {
  std::vector<MarkedPod> marked;
  for (const Pod& pod : pods) {
    const auto mark = removal_mark(pod);
    if (!mark || is_finished(pod)) continue;
    const Condition* target = find_condition(pod.conditions, kDisruptionTarget);
    const auto preemptor = std::ranges::find(pods, mark->uid, &Pod::uid);
    const bool is_here = preemptor != pods.end();
    marked.push_back({.pod = key_of(pod),
                      .uid = pod.uid,
                      .by = target->reason == kReasonPreemptionByScheduler ? RoomMaker::Scheduler
                                                                           : RoomMaker::Node,
                      .for_pod = is_here ? key_of(*preemptor) : "",
                      .for_uid = mark->uid,
                      .generation = mark->generation,
                      .leaves = is_terminating(pod),
                      .stands = is_here && is_deferred(*preemptor) && !is_terminating(*preemptor) &&
                                preemptor->generation == mark->generation});
  }
  return marked;
}

}  // namespace elbowroom::policy
