#include "cli/preview/preview_counts.h"

#include <set>
#include <string_view>

namespace elbowroom::cli {
namespace {

using policy::PreemptionOutcome;
using policy::SchedulingResult;

void count_deferred(const policy::PreemptionReport& preemption, ResizeCounts& counts) {
  ++counts.deferred;
  if (policy::outcome_name(preemption) == "NotKnown") {
    ++counts.not_known;
  } else if (preemption.outcome == PreemptionOutcome::Preempt) {
    ++counts.granted;
  } else if (preemption.outcome == PreemptionOutcome::AwaitingVictims) {
    ++counts.coming;
  }
}

}  // namespace

ResizeCounts counts_of(const WaitingResizes& resizes) {
  ResizeCounts counts;
  std::set<std::string_view> victims;
  for (const WaitingResize& each : resizes.judged) {
    const policy::Verdict verdict = each.report.decision.verdict;
    if (verdict == policy::Verdict::Deferred) count_deferred(each.report.preemption, counts);
    if (verdict == policy::Verdict::Infeasible) ++counts.infeasible;
    if (verdict == policy::Verdict::Allocated) ++counts.fit;
    for (const policy::VictimReport& victim : each.report.preemption.victims) {
      victims.insert(victim.uid);
    }
  }
  counts.victims = victims.size();
  return counts;
}

PendingCounts counts_of(const PendingPlacement& pending) {
  PendingCounts counts;
  std::set<std::string_view> victims;
  for (const PendingPod& each : pending.judged) {
    for (const policy::VictimReport& victim : each.victims) victims.insert(victim.uid);
    if (each.is_not_known) {
      ++counts.not_known;
    } else if (each.result == SchedulingResult::Bind) {
      ++counts.placed;
    } else if (each.result == SchedulingResult::Preempt) {
      ++counts.granted;
    } else if (each.result == SchedulingResult::AwaitingVictims) {
      ++counts.coming;
    } else {
      ++counts.waiting;
    }
  }
  counts.victims = victims.size();
  return counts;
}

}  // namespace elbowroom::cli
