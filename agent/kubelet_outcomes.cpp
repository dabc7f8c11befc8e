#include "agent/kubelet_outcomes.h"

#include <string>

#include "policy/model/charge.h"
#include "policy/model/condition.h"

namespace elbowroom::agent {
namespace {

// Compares the resize that the condition is about: the same reason for a later resize is another
// outcome.
bool is_pending_anew(const policy::Pod& before, const policy::Pod& after) {
  const auto* was = policy::find_condition(before.conditions, policy::kPodResizePending);
  const auto* is = policy::find_condition(after.conditions, policy::kPodResizePending);
  return is != nullptr &&
         (was == nullptr || was->status != is->status || was->reason != is->reason ||
          was->observed_generation != is->observed_generation);
}

// "": none.
std::string error_of(const policy::Pod& pod) {
  const auto* going_on = policy::find_condition(pod.conditions, policy::kPodResizeInProgress);
  const bool failed = going_on != nullptr && going_on->reason == policy::kReasonError;
  return failed ? "Error: " + going_on->message : "";
}

}  // namespace

std::vector<std::string_view> kubelet_outcomes(const policy::Pod& before,
                                               const policy::Pod& after) {
  std::vector<std::string_view> outcomes;
  if (policy::is_finished(after) || policy::is_terminating(after)) return outcomes;
  if (is_pending_anew(before, after)) {
    if (policy::is_deferred(after)) outcomes.emplace_back("deferred");
    if (policy::is_infeasible(after)) outcomes.emplace_back("infeasible");
  }
  if (const std::string error = error_of(after); !error.empty() && error != error_of(before)) {
    outcomes.emplace_back("error");
  }
  const bool went_on = policy::has_true(before.conditions, policy::kPodResizeInProgress);
  if (went_on && !policy::has_true(after.conditions, policy::kPodResizeInProgress)) {
    outcomes.emplace_back("completed");
  }
  return outcomes;
}

}  // namespace elbowroom::agent
