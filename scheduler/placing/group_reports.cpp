#include "scheduler/placing/group_reports.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "policy/preemption/preemption_messages.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using policy::PodGroup;
using policy::PodText;

constexpr std::string_view kNotPlaced = "Unschedulable";
constexpr std::string_view kPrioritiesMatch = "PrioritiesMatch";

constexpr std::string_view kRunsAgain = "PodsRunning";

// kube-scheduler writes the same condition, which is its own to end.
constexpr std::string_view kMarkedBy = "elbowroom-scheduler: ";

bool is_disrupted_by_us(const PodGroup& group) {
  const policy::Condition* target =
      policy::find_condition(group.conditions, policy::kDisruptionTarget);
  return target != nullptr && target->status == "True" && target->message.starts_with(kMarkedBy);
}

Victim named(const PodGroup& group) { return {group.ns, group.name, group.standing.uid}; }

}  // namespace

// `begins_again`: what it says happens once more, at this time.
void GroupReports::set(const PodGroup& group, std::string_view type, std::string_view status,
                       std::string_view reason, const std::string& message, bool begins_again) {
  const policy::Condition* shown = policy::find_condition(group.conditions, type);
  policy::Condition condition{.type = std::string(type),
                              .status = std::string(status),
                              .reason = std::string(reason),
                              .message = message,
                              .last_transition = state_.now.wall};
  if (!begins_again && shown != nullptr && shown->status == status && shown->last_transition) {
    condition.last_transition = shown->last_transition;
  }
  if (options_.dry_run) return;
  const bool is_sent = state_.group_statuses.wants(group.standing.uid, condition, shown,
                                                   begins_again, state_.time());
  if (is_sent) return send(group, condition);
  look_when_owed(policy::key_of(group), group.standing.uid);
}

void GroupReports::send(const PodGroup& group, const policy::Condition& condition) {
  state_.outbox.emit(WriteGroupStatus{.group = named(group), .set = {condition}}, state_.fence(),
                     GroupWrite{.group = named(group), .type = condition.type});
}

void GroupReports::look_when_owed(const std::string& key, std::string_view uid) {
  const auto next = state_.group_statuses.next_owed(uid);
  if (next) state_.group_statuses.look_by(key, *next);
}

// Nothing is taken back of a group that another replica called placed meanwhile.
void GroupReports::send_owed(const PodGroup& group) {
  const bool was_placed = policy::has_true(group.conditions, policy::kPodGroupInitiallyScheduled);
  for (const policy::Condition& each :
       state_.group_statuses.take_owed(group.standing.uid, group.conditions, state_.time())) {
    const bool takes_back = each.type == policy::kPodGroupInitiallyScheduled && was_placed;
    if (!takes_back) send(group, each);
  }
  look_when_owed(policy::key_of(group), group.standing.uid);
}

void GroupReports::tell_unplaced(std::string_view key, const PodText& why) {
  const PodGroup* group = state_.cluster.snapshot().groups().find(key);
  if (group == nullptr) return;
  const policy::Condition* latest =
      state_.group_statuses.latest(group->standing.uid, policy::kPodGroupInitiallyScheduled);
  const bool was_placed =
      policy::has_true(group->conditions, policy::kPodGroupInitiallyScheduled) ||
      (latest != nullptr && latest->status == "True");
  if (!was_placed) {
    set(*group, policy::kPodGroupInitiallyScheduled, "False", kNotPlaced, why.on_pod());
  }
  if (state_.group_statuses.says(group->standing.uid, why.on_pod())) {
    turns_.say(named(*group), EventReason::FailedScheduling, why, Subject::PodGroup);
  }
}

void GroupReports::look_at_priorities_soon(const std::string& key) {
  state_.group_statuses.look_at(key, state_.time() + GroupStatuses::kTogether);
}

void GroupReports::look_at_priorities(std::string_view key) {
  const PodGroup* group = state_.cluster.snapshot().groups().find(key);
  if (group == nullptr) return;
  std::vector<std::string> differ;
  for (const Pod& pod : state_.cluster.snapshot().members_of(key)) {
    const bool is_ours = options_.places_for.contains(pod.scheduler_name);
    if (!is_ours || policy::is_terminating(pod)) continue;
    if (policy::own_priority_of(pod) == group->standing.priority) continue;
    differ.push_back(policy::key_of(pod) + " (" + std::to_string(policy::own_priority_of(pod)) +
                     ")");
  }
  std::ranges::sort(differ);
  const policy::Condition* latest =
      state_.group_statuses.latest(group->standing.uid, policy::kPodsNotMatchingPriority);
  const bool was_told = policy::has_true(group->conditions, policy::kPodsNotMatchingPriority) ||
                        (latest != nullptr && latest->status == "True");
  if (differ.empty()) {
    if (was_told) {
      set(*group, policy::kPodsNotMatchingPriority, "False", kPrioritiesMatch,
          "all pods of the group say its priority");
    }
    return;
  }
  const std::string text =
      "the priority of the group, " + std::to_string(group->standing.priority) +
      ", counts for its pods; another one is said by " + policy::listed(differ);
  set(*group, policy::kPodsNotMatchingPriority, "True", row_of(EventReason::PriorityDiffers).reason,
      text);
  if (was_told || !state_.group_statuses.tells_of_priorities(group->standing.uid)) return;
  turns_.say(named(*group), EventReason::PriorityDiffers, PodText(text), Subject::PodGroup);
}

// The group is known: one of its pods has what it says.
void GroupReports::look_at_mode(std::string_view key) {
  const PodGroup& group = *state_.cluster.snapshot().groups().find(key);
  if (group.standing.is_gang() || group.standing.mode != policy::DisruptionMode::All) return;
  if (!state_.group_statuses.tells_of_mode(group.standing.uid)) return;
  turns_.say(named(group), EventReason::RemovedAsOne,
             "the group has the basic policy and disruption mode all: its pods are placed one by "
             "one, and removed as one",
             Subject::PodGroup);
}

void GroupReports::bound(std::string_view pod) {
  const auto seen = state_.cluster.snapshot().pod(pod);
  if (!seen || !seen->group) return;
  state_.group_statuses.look_at(policy::group_key_of(*seen),
                                state_.time() + GroupStatuses::kTogether);
}

void GroupReports::refresh_due() {
  for (const std::string& key : state_.group_statuses.take_due(state_.time())) refresh(key);
}

void GroupReports::refresh(const std::string& key) {
  const PodGroup* group = state_.cluster.snapshot().groups().find(key);
  if (group == nullptr) return;
  look_at_priorities(key);
  look_whether_placed(*group);
  end_disruption(*group);
  send_owed(*group);
}

void GroupReports::look_whether_placed(const PodGroup& group) {
  if (is_placed(group)) {
    set(group, policy::kPodGroupInitiallyScheduled, "True", row_of(EventReason::Scheduled).reason,
        "minCount of its pods have a node");
  } else {
    state_.group_statuses.withdraw(group.standing.uid, policy::kPodGroupInitiallyScheduled, "True");
  }
}

// minCount of its Pods run that were created after the group was preempted.
void GroupReports::end_disruption(const PodGroup& group) {
  if (!is_disrupted_by_us(group)) return;
  const auto since = policy::find_condition(group.conditions, policy::kDisruptionTarget)
                         ->last_transition.value_or(policy::Time{});
  const auto runs_again = [&](const Pod& pod) {
    return pod.phase == policy::Phase::Running && !policy::is_terminating(pod) && pod.created &&
           *pod.created > since;
  };
  const auto running = std::ranges::count_if(
      state_.cluster.snapshot().members_of(policy::key_of(group)), runs_again);
  if (running < group.standing.min_count.value_or(1)) return;
  set(group, policy::kDisruptionTarget, "False", kRunsAgain,
      std::string(kMarkedBy) + "minCount of the pods of the group run again");
}

// minCount of its pods have a node now.
bool GroupReports::is_placed(const PodGroup& group) const {
  // Its minCount is not known either.
  if (group.standing.obstacle == policy::GroupObstacle::NotUnderstood) return false;
  std::size_t bound = 0;
  for (const Pod& pod : state_.cluster.snapshot().members_of(policy::key_of(group))) {
    const std::string name = policy::key_of(pod);
    const bool is_in_flight = state_.cluster.assume_cache().is_binding(name) &&
                              !state_.cluster.assume_cache().is_bound(name, pod.uid);
    if (!pod.node.empty() && !is_in_flight && !policy::is_terminating(pod)) ++bound;
  }
  return bound >= static_cast<std::size_t>(group.standing.min_count.value_or(1));
}

void GroupReports::removed(const std::vector<Pod>& victims, const PodText& purpose) {
  std::set<std::string> groups;
  for (const Pod& pod : victims) {
    if (counted_uid(pod) != pod.uid) groups.insert(policy::group_key_of(pod));
  }
  for (const std::string& key : groups) {
    const PodGroup* group = state_.cluster.snapshot().groups().find(key);
    if (group == nullptr) continue;
    // For the same preemptor as before, perhaps: pods that were created since go, too.
    set(*group, policy::kDisruptionTarget, "True", policy::kReasonPreemptionByScheduler,
        purpose.on_pod(), true);
  }
}

void GroupReports::tell_left(const Pod& pod, const std::string& why) {
  const PodGroup* group = state_.cluster.snapshot().groups().find(policy::group_key_of(pod));
  if (group == nullptr) return;
  turns_.say(named(*group), EventReason::Preempted,
             "The group is removed whole, but the API server does not let pod " +
                 policy::key_of(pod) + " go: " + why,
             Subject::PodGroup);
}

void GroupReports::written(const GroupWrite& what) {
  state_.group_statuses.written(what.group.uid, what.type);
}

// A refusal may end, too: a right is given.
void GroupReports::not_written(const GroupWrite& what, const Error& error) {
  const auto wish = std::min(error.retry_after, Queue::kLongestServerDelay);
  state_.group_statuses.not_written(what.group.uid, what.type, wish, state_.time());
  look_when_owed(control::name_of(what.group), what.group.uid);
}

}  // namespace elbowroom::scheduler
