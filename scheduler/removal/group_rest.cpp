#include "scheduler/removal/group_rest.h"

#include <algorithm>
#include <utility>

#include "policy/model/charge.h"
#include "policy/model/condition.h"
#include "policy/model/removal_mark.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

std::string named_as(const std::string& preemptor_uid) { return "(uid " + preemptor_uid + ")"; }

bool goes_for(const Pod& member, const policy::RemovalMark& mark) {
  return policy::is_terminating(member) && policy::removal_mark(member) == mark;
}

}  // namespace

std::string group_mark_text(const std::string& preemptor_uid, bool is_group) {
  return "elbowroom-scheduler: preempting to accommodate a higher priority " +
         std::string(is_group ? "pod group " : "pod ") + named_as(preemptor_uid);
}

const Victim* left_of_group(const RemovalStep& step) {
  const auto* removed = std::get_if<DeleteVictim>(&step.step);
  return step.removal == 0 && removed != nullptr ? &removed->victim : nullptr;
}

bool GroupRest::has_begun(const VictimMark& mark, const Pod& pod) const {
  const std::string key = policy::group_key_of(pod);
  const cluster::Snapshot& snapshot = state_.cluster.snapshot();
  const policy::PodGroup* group = snapshot.groups().find(key);
  if (group == nullptr) return false;
  const policy::Condition* told =
      policy::find_condition(group->conditions, policy::kDisruptionTarget);
  if (told != nullptr && told->status == "True" && told->last_transition &&
      told->reason == policy::kReasonPreemptionByScheduler &&
      told->message.ends_with(named_as(mark.mark.uid)) && pod.created &&
      *pod.created <= *told->last_transition) {
    return true;
  }
  return std::ranges::any_of(snapshot.members_of(key),
                             [&](const Pod& member) { return goes_for(member, mark.mark); });
}

void GroupRest::follow(const std::string& key, const Pod& pod) {
  auto preemptor = marked_for(pod);
  if (!preemptor) return;
  DeleteVictim step{.victim = victim_of(pod)};
  state_.marks.clearing(key);
  state_.outbox.emit(step, state_.fence(),
                     RemovalStep{.preemptor = *std::move(preemptor), .step = step});
}

}  // namespace elbowroom::scheduler
